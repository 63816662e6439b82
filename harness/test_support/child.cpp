#include "harness/test_support/child.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>

#include "harness/capabilities/capability.h"
#include "harness/run/event_sink.h"
#include "harness/run/forked_child.h"

namespace kfdcts::harness {
namespace {

/// In the child: passes what gtest notes on to the parent, at once, so that a crash loses nothing.
class Forwarder : public testing::EmptyTestEventListener {
 public:
  explicit Forwarder(int fd) : sink_({fd}) {}

  void OnTestPartResult(const testing::TestPartResult& part) override {
    if (part.passed()) return;
    Event event{.kind = part.skipped() ? Event::Kind::kSkipped : Event::Kind::kFailure};
    event.file = part.file_name() == nullptr ? "" : part.file_name();
    event.line = part.line_number();
    event.message = PlainMessage(part.message());
    event.fatal = part.fatally_failed();
    sink_.Write(event);
  }

  void Missing(const CapabilityMissing& missing) const {
    sink_.Write(
        {.kind = Event::Kind::kSkipped, .message = missing.what(), .key = missing.capability()});
  }

 private:
  EventSink sink_;
};

[[noreturn]] void BeChild(const std::function<void()>& body, int fd) {
  setpgid(0, 0);
  auto& listeners = testing::UnitTest::GetInstance()->listeners();
  delete listeners.Release(listeners.default_result_printer());
  auto* forwarder = new Forwarder(fd);
  listeners.Append(forwarder);
  try {
    body();
  } catch (const CapabilityMissing& missing) {
    forwarder->Missing(missing);
  } catch (const std::exception& error) {
    ADD_FAILURE() << "exception in the child: " << error.what();
  }
  _exit(0);
}

/// Does again in the caller's test what happened in the child.
void Replay(const Event& event, ChildResult& result) {
  if (event.kind == Event::Kind::kSkipped) {
    result.skipped = true;
    if (!event.key.empty()) throw CapabilityMissing(event.key, event.message);
    [&] { GTEST_SKIP() << event.message; }();
    return;
  }
  ++result.failures;
  if (event.fatal) {
    [&] { GTEST_FAIL_AT(event.file.c_str(), event.line) << event.message; }();
  } else {
    ADD_FAILURE_AT(event.file.c_str(), event.line) << event.message;
  }
}

/// Reads until the child ends or its time is up.
std::vector<Event> Follow(ForkedChild& child, int fd, std::chrono::milliseconds limit,
                          ChildResult& result) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  EventReader reader;
  std::vector<Event> events;
  const auto take = [&] {
    for (auto& event : reader.Feed(ReadAvailable(fd))) events.push_back(std::move(event));
  };
  for (bool ended = false; !ended;) {
    std::array<pollfd, 2> sources = {{{child.pidfd(), POLLIN, 0}, {fd, POLLIN, 0}}};
    const int ready = poll(sources.data(), sources.size(), PollTime(deadline));
    if (ready < 0 && errno != EINTR) {
      throw std::system_error(errno, std::generic_category(), "poll");
    }
    ended = ready > 0 && sources[0].revents != 0;
    if (ready > 0) take();
    if (ready == 0) {
      result.timed_out = true;
      child.Kill();
      ended = true;
    }
  }
  const auto status = child.Wait(std::chrono::seconds(10));
  take();
  if (status && WIFSIGNALED(*status)) result.signal = WTERMSIG(*status);
  if (status && WIFEXITED(*status)) result.exit_code = WEXITSTATUS(*status);
  return events;
}

}  // namespace

std::string ChildResult::Describe() const {
  if (timed_out) return "time limit";
  if (signal != 0) {
    return std::string("killed by signal ") + std::to_string(signal) + " (" + strsignal(signal) +
           ")";
  }
  if (failures > 0) return std::to_string(failures) + " failed checks";
  if (skipped) return "skipped";
  return exit_code == 0 ? "passed" : "exit code " + std::to_string(exit_code);
}

ChildResult RunInChild(const std::function<void()>& body, std::chrono::milliseconds deadline) {
  auto [read_end, write_end] = vm::MakePipe();
  const pid_t pid = fork();
  if (pid < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (pid == 0) BeChild(body, write_end.get());
  ForkedChild child(pid);
  write_end.Reset();
  ChildResult result;
  for (const Event& event : Follow(child, read_end.get(), deadline, result)) {
    Replay(event, result);
  }
  return result;
}

}  // namespace kfdcts::harness
