#include "harness/run/boot.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "harness/run/forked_child.h"

namespace kfdcts::harness {
namespace {

void Raise(int fd) {
  const std::uint64_t one = 1;
  while (write(fd, &one, sizeof(one)) < 0 && errno == EINTR) {
  }
}

int Poll(std::span<pollfd> sources, std::chrono::steady_clock::time_point deadline) {
  int ready = 0;
  while ((ready = poll(sources.data(), sources.size(), PollTime(deadline))) < 0) {
    if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "poll");
  }
  return ready;
}

}  // namespace

Boot::Boot(Target& target, const std::filesystem::path& folder,
           std::function<void(const std::string&)> on_notice)
    : target_(target),
      plans_(vm::MakePipe()),
      cancel_(vm::MakePipe()),
      ended_(eventfd(0, EFD_CLOEXEC)) {
  if (!ended_) throw std::system_error(errno, std::generic_category(), "eventfd");
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  launch_ = {std::filesystem::absolute(folder), plans_.first.get(), cancel_.first.get(),
             std::move(on_notice)};
  const auto executor_folder = target_.ExecutorFolder(launch_);
  std::filesystem::create_directories(executor_folder);
  tail_.emplace(executor_folder / kEventsFile);
  thread_ = std::thread([this] {
    try {
      end_ = target_.Run(launch_);
    } catch (...) {
      error_ = std::current_exception();
    }
    Raise(ended_.get());
  });
}

Boot::~Boot() {
  if (thread_.joinable()) Cancel();
}

void Boot::Send(const Plan& plan) { vm::WriteAll(plans_.second.get(), ToLine(plan), "plan"); }

Boot::Wake Boot::Next(Event& event, std::chrono::milliseconds limit, int signal_fd) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  for (;;) {
    std::array<pollfd, 3> sources = {
        {{tail_->wake_fd(), POLLIN, 0}, {ended_.get(), POLLIN, 0}, {signal_fd, POLLIN, 0}}};
    if (events_.empty()) {
      const int ready = Poll(sources, deadline);
      for (auto& one : tail_->Read()) events_.push_back(std::move(one));
      if (events_.empty() && ready == 0) return Wake::kTimeOut;
    }
    if (!events_.empty()) {
      event = std::move(events_.front());
      events_.pop_front();
      return Wake::kEvent;
    }
    if (sources[2].revents != 0) return Wake::kSignal;
    if (sources[1].revents != 0) {
      WaitForThread();
      return Wake::kEnded;
    }
  }
}

bool Boot::WaitEnded(std::chrono::milliseconds limit) {
  std::array<pollfd, 1> sources = {{{ended_.get(), POLLIN, 0}}};
  return Poll(sources, std::chrono::steady_clock::now() + limit) > 0;
}

void Boot::WaitForThread() {
  if (thread_.joinable()) thread_.join();
  if (error_) std::rethrow_exception(error_);
}

Target::End Boot::Finish(std::chrono::milliseconds patience) {
  plans_.second.Reset();
  if (!WaitEnded(patience)) Raise(cancel_.second.get());
  WaitForThread();
  return end_;
}

Target::End Boot::Cancel() {
  Raise(cancel_.second.get());
  plans_.second.Reset();  // an executor that sees its runner gone ends what its tests started
  if (thread_.joinable()) thread_.join();
  return end_;
}

}  // namespace kfdcts::harness
