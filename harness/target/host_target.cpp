#include "harness/target/host_target.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <system_error>

#include "harness/probes/leak_check.h"
#include "harness/run/event_sink.h"
#include "harness/run/executor.h"
#include "harness/vm/base/child_process.h"

namespace kfdcts::harness {
namespace {

constexpr const char* kErrorsFile = "executor.log";
/// For an executor that was cancelled to end its tests' processes, some of them in groups of their
/// own, which nobody else knows.
constexpr std::chrono::seconds kCleanUp{5};

/// Whether the process ended before anybody cancelled it.
bool WaitForEnd(int pidfd, int cancel_fd) {
  for (;;) {
    std::array<pollfd, 2> sources = {{{pidfd, POLLIN, 0}, {cancel_fd, POLLIN, 0}}};
    if (poll(sources.data(), sources.size(), -1) < 0) {
      if (errno == EINTR) continue;
      throw std::system_error(errno, std::generic_category(), "poll");
    }
    if (sources[1].revents != 0) return false;
    if (sources[0].revents != 0) return true;
  }
}

}  // namespace

Target::End HostTarget::Run(const Launch& launch) {
  const auto log_file = launch.folder / kErrorsFile;
  const vm::UniqueFd log(open(log_file.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (!log) throw std::system_error(errno, std::generic_category(), log_file.string());
  vm::SpawnOptions options;
  options.argv = Command(program_, launch.folder.string());
  options.environment = {{"GLIBC_TUNABLES", kLeakCheckTunables}};
  options.stdin_fd = launch.plans_fd;
  options.stdout_fd = log.get();
  options.stderr_fd = log.get();
  auto executor = vm::ChildProcess::Spawn(options);
  if (!WaitForEnd(executor.pidfd(), launch.cancel_fd)) {
    if (!executor.WaitFor(kCleanUp)) executor.Kill();
    return {.reason = "cancelled", .cancelled = true};
  }
  const int status = executor.TryReap().value_or(0);
  if (status == 0) return {.regular = true};
  return {.reason = "the executor " + vm::DescribeStatus(status),
          .last_words = ReadFrom(log.get(), 0, kOutputLimit)};
}

/// Marks that cannot be read back are of no use here.
std::string HostTarget::marked_log() const {
  return access(kernel_log_.c_str(), R_OK | W_OK) == 0 ? kernel_log_ : "";
}

/// A mark is written before the event is that tells of it: there is nothing to wait for.
std::vector<vm::KernelLine> HostTarget::TakeKernelLog(const std::string& /*until*/,
                                                      std::chrono::milliseconds /*patience*/) {
  if (!reader_) reader_.emplace(kernel_log_);
  return reader_->Read();
}

}  // namespace kfdcts::harness
