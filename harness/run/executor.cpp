#include "harness/run/executor.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <iostream>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include "harness/run/surroundings.h"
#include "harness/run/worker.h"
#include "harness/run/worker_watch.h"

namespace kfdcts::harness {
namespace {

UniqueFd OpenForAppend(const std::filesystem::path& file, int extra_flags = 0) {
  UniqueFd fd(open(file.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | extra_flags, 0644));
  if (!fd) throw std::system_error(errno, std::generic_category(), file.string());
  return fd;
}

/// Blocks for a line; nothing at the end of file.
std::optional<std::string> ReadLine(int fd) {
  std::string line;
  char byte = 0;
  for (;;) {
    const ssize_t got = read(fd, &byte, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw std::system_error(errno, std::generic_category(), "reading a plan");
    if (got == 0) return std::nullopt;
    if (byte == '\n') return line;
    line += byte;
  }
}

/// How many tests from `begin` on may run in one process.
std::size_t BatchSize(const Plan& plan, const std::vector<TestInstance>& tests, std::size_t begin) {
  if (plan.isolate) return 1;
  const TestSpec& first = tests[begin].definition->spec;
  std::size_t end = begin + 1;
  while (first.process == Process::kShared && end < tests.size() &&
         tests[end].definition->spec.process == Process::kShared &&
         tests[end].definition->spec.environment == first.environment) {
    ++end;
  }
  return end - begin;
}

class Executor {
 public:
  Executor(const ExecutorOptions& options, const TestRegistry& registry)
      : registry_(registry),
        plans_fd_(options.plans_fd),
        // Past every write-back cache of the guest, so that a panic loses no event.
        events_(OpenForAppend(options.events, O_DSYNC)),
        output_(OpenForAppend(options.output)),
        sink_({events_.get()}) {}

  int Run() {
    BecomeSubreaper();
    for (bool first = true; const auto line = ReadLine(plans_fd_); first = false) {
      const Plan plan = PlanFromLine(*line);
      const auto tests = FindTests(plan, registry_);
      if (first) sink_.Write({.kind = Event::Kind::kReady, .surroundings = AskSurroundings()});
      const auto end = RunTests(plan, tests);
      if (end == WorkerWatch::End::kStuck) return kStuckExitCode;
      if (end == WorkerWatch::End::kRunnerGone) return 1;
      sink_.Write({.kind = Event::Kind::kPlanDone});
    }
    return 0;
  }

 private:
  WorkerWatch::End RunTests(const Plan& plan, const std::vector<TestInstance>& tests) {
    std::size_t next = 0;
    while (next < tests.size()) {
      const std::span batch(tests.data() + next, BatchSize(plan, tests, next));
      WorkerWatch watch(plan, batch, sink_, output_.get());
      const auto end = RunBatch(plan, batch, watch);
      if (end == WorkerWatch::End::kStuck || end == WorkerWatch::End::kRunnerGone) return end;
      next += watch.finished();
    }
    return WorkerWatch::End::kDone;
  }

  WorkerWatch::End RunBatch(const Plan& plan, std::span<const TestInstance> batch,
                            WorkerWatch& watch) {
    auto [read_end, write_end] = vm::MakePipe();
    const pid_t pid = fork();
    if (pid < 0) throw std::system_error(errno, std::generic_category(), "fork");
    if (pid == 0) {
      read_end.Reset();
      const EventSink sink({events_.get(), write_end.get()});
      const EventSink watch_alone({write_end.get()});
      const auto* ends = WorkerWatch::HoldsEnds(plan, batch) ? &watch_alone : &sink;
      RunWorker(plan, batch, {&sink, ends, output_.get()});
    }
    ForkedChild worker(pid);
    write_end.Reset();
    const auto end = watch.Follow(worker, read_end.get(), plans_fd_);
    if (end == WorkerWatch::End::kStuck || KillOrphans()) return end;
    sink_.Write({.kind = Event::Kind::kStuck, .message = "an orphan"});
    return WorkerWatch::End::kStuck;
  }

  const TestRegistry& registry_;
  int plans_fd_;
  UniqueFd events_;
  UniqueFd output_;
  EventSink sink_;
};

}  // namespace

int RunExecutor(const ExecutorOptions& options, const TestRegistry& registry) {
  try {
    return Executor(options, registry).Run();
  } catch (const std::exception& error) {
    std::cerr << "kfdcts executor: " << error.what() << '\n';
    return 1;
  }
}

}  // namespace kfdcts::harness
