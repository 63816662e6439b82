#include "harness/run/worker_watch.h"

#include <poll.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <system_error>

#include "harness/probes/children.h"
#include "harness/probes/kernel_log_device.h"
#include "harness/run/test_kernel_log.h"
#include "harness/vm/base/child_process.h"

namespace kfdcts::harness {
namespace {

/// A process that SIGKILL does not end within this time sits in the kernel for good.
constexpr std::chrono::seconds kKillPatience{10};

constexpr const char* kInExit = "in its exit";

}  // namespace

bool WorkerWatch::HoldsEnds(const Plan& plan, std::span<const TestInstance> tests) {
  return plan.isolate ||
         (tests.size() == 1 && tests.front().definition->spec.process == Process::kFresh);
}

void WorkerWatch::PassEndOn() {
  if (!held_end_) return;
  // Where the test's own check has not told of it.
  const auto left = failed_ ? std::map<pid_t, std::string>{} : RunningChildren();
  for (const auto& [pid, name] : left) {
    sink_.Write({.kind = Event::Kind::kFailure,
                 .message = "left behind: process " + std::to_string(pid) + " " + name});
  }
  WriteKernelLog(plan_.kernel_log, EndMark(held_end_->test));
  sink_.Write(*held_end_);
  held_end_.reset();
}

void WorkerWatch::Restart() {
  started_ = std::chrono::steady_clock::now();
  limit_ = AllEnded() ? kKillPatience : TimeLimit(plan_, tests_[finished_]);
}

void WorkerWatch::Take(int progress) {
  heard_ = std::chrono::steady_clock::now();
  for (const Event& event : reader_.Feed(ReadAvailable(progress))) {
    if (event.kind == Event::Kind::kStarted) {
      running_ = true;
      failed_ = false;
      output_offset_ = event.output_offset;
      Restart();
    } else if (event.kind == Event::Kind::kEnded) {
      running_ = false;
      ++finished_;
      if (HoldsEnds(plan_, tests_)) held_end_ = event;
      taint_.Start();
      Restart();
    } else if (event.kind == Event::Kind::kFailure) {
      failed_ = true;
    }
  }
}

WorkerWatch::End WorkerWatch::Bury(const std::string& how, bool timed_out) {
  PassEndOn();
  if (AllEnded()) return End::kDone;
  if (!running_ && failed_) return End::kDied;  // it makes room after a failure
  const std::string name = tests_[finished_].FullName();
  if (!running_) sink_.Write({.kind = Event::Kind::kStarted, .test = name});
  Event died{.kind = Event::Kind::kDied, .test = name, .message = how, .timed_out = timed_out};
  died.milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(
                          std::chrono::steady_clock::now() - started_)
                          .count();
  died.output = ReadFrom(output_fd_, output_offset_, kOutputLimit);
  if (const std::string taint = taint_.Difference(); !taint.empty()) {
    sink_.Write({.kind = Event::Kind::kProperty, .key = kTaintProperty, .value = taint});
  }
  WriteKernelLog(plan_.kernel_log, EndMark(name));
  sink_.Write(died);
  ++finished_;
  return AllEnded() ? End::kDone : End::kDied;
}

WorkerWatch::End WorkerWatch::Kill(ForkedChild& worker, int progress, const std::string& why) {
  worker.Kill();
  const auto status = worker.Wait(kKillPatience);
  Take(progress);
  if (!status) {
    std::string name = AllEnded() ? "" : tests_[finished_].FullName();
    if (held_end_) name = held_end_->test;
    sink_.Write({.kind = Event::Kind::kStuck, .test = name, .message = AllEnded() ? kInExit : ""});
    return End::kStuck;
  }
  return Bury(why, true);
}

std::int64_t WorkerWatch::OutputSize() const {
  struct stat status {};
  return fstat(output_fd_, &status) == 0 ? status.st_size : 0;
}

bool WorkerWatch::IsSilent() {
  if (plan_.silence.count() == 0 || AllEnded()) return false;
  const auto now = std::chrono::steady_clock::now();
  if (const auto size = OutputSize(); size != heard_size_) {
    heard_size_ = size;
    heard_ = now;
  }
  return now >= heard_ + plan_.silence;
}

std::chrono::steady_clock::time_point WorkerWatch::NextLook() const {
  const auto limit = started_ + limit_;
  return plan_.silence.count() == 0 || AllEnded() ? limit : std::min(limit, heard_ + plan_.silence);
}

WorkerWatch::End WorkerWatch::Follow(ForkedChild& worker, int progress, int runner_fd) {
  Restart();
  heard_ = started_;
  for (;;) {
    std::array<pollfd, 3> sources = {
        {{worker.pidfd(), POLLIN, 0}, {progress, POLLIN, 0}, {runner_fd, 0, 0}}};
    const int ready = poll(sources.data(), sources.size(), PollTime(NextLook()));
    if (ready < 0 && errno != EINTR) {
      throw std::system_error(errno, std::generic_category(), "poll");
    }
    if (ready < 0) continue;
    if (sources[2].revents != 0) {
      worker.Kill();
      return worker.Wait(kKillPatience) ? End::kRunnerGone : End::kStuck;
    }
    if (sources[0].revents != 0) {
      const int status = *worker.Wait(kKillPatience);
      Take(progress);
      return Bury("the test's process " + vm::DescribeStatus(status) +
                      (memory_kills_.Any() ? ": the kernel was out of memory" : ""),
                  false);
    }
    if (sources[1].revents != 0) Take(progress);
    if (PollTime(started_ + limit_) == 0) {
      return Kill(worker, progress,
                  "the test's time limit of " + std::to_string(limit_.count()) + " s passed");
    }
    if (IsSilent()) {
      return Kill(worker, progress,
                  "the test neither printed nor reported anything for " +
                      std::to_string(plan_.silence.count()) + " s");
    }
  }
}

}  // namespace kfdcts::harness
