#include "harness/target/vm_target.h"

#include <algorithm>
#include <fstream>
#include <utility>

#include "harness/probes/kernel_log_device.h"
#include "harness/probes/leak_check.h"

namespace kfdcts::harness {
namespace {

/// What nobody takes is not kept for ever.
constexpr std::size_t kLogLimit = 100000;

std::string Describe(const vm::GuestResult& result) {
  using End = vm::GuestResult::End;
  switch (result.end) {
    case End::kExited:
      return "the executor exited with " + std::to_string(result.exit_code);
    case End::kSignalled:
      return "the executor was killed by signal " + std::to_string(result.signal);
    case End::kTimedOut:
      return "the guest ran out of time: " + result.reason;
    case End::kCancelled:
      return "cancelled";
    case End::kPanicked:
      return "the guest's kernel panicked: " + result.reason;
    case End::kOopsed:
      return "the guest's kernel oopsed: " + result.reason;
    case End::kNeverUp:
      return "the guest never came up: " + result.reason;
    case End::kLost:
      return "the guest was lost: " + result.reason;
  }
  return result.reason;
}

/// The lines of a virtual GPU's report that tell of something it should have known.
void AddComplaints(const std::filesystem::path& report, std::vector<std::string>& complaints) {
  std::ifstream in(report);
  const std::string name = report.stem().string();
  for (std::string line; std::getline(in, line);) {
    const bool refused = line.starts_with("vfio-user refused ") && !line.ends_with(" 0");
    if (refused || line.starts_with("unknown packet")) complaints.push_back(name + ": " + line);
  }
}

}  // namespace

std::filesystem::path VmTarget::ExecutorFolder(const Launch& launch) const {
  return launch.folder / "share";
}

Target::End VmTarget::Run(const Launch& launch) {
  vm::GuestRun guest = guest_;
  std::string errors;
  guest.command = Command(program_, vm::kGuestShare);
  guest.environment.emplace_back("GLIBC_TUNABLES", kLeakCheckTunables);
  guest.results = launch.folder;
  guest.stdin_fd = launch.plans_fd;
  guest.cancel_fd = launch.cancel_fd;
  guest.on_notice = launch.on_notice;
  guest.on_stderr = [&errors](std::string_view bytes) { errors += bytes; };
  guest.on_kernel_line = [this](const vm::KernelLine& line) { Hear(line); };
  SetRunning(true);
  vm::GuestResult result;
  try {
    result = runner_(guest);
  } catch (...) {
    SetRunning(false);
    throw;
  }
  SetRunning(false);

  End end;
  end.regular = result.end == vm::GuestResult::End::kExited && result.exit_code == 0;
  end.cancelled = result.end == vm::GuestResult::End::kCancelled;
  for (const auto& report : result.gpu_reports) AddComplaints(report, end.device_complaints);
  if (end.regular) return end;
  end.reason = Describe(result);
  end.last_words = std::move(errors);
  for (const auto& line : result.console_tail) end.last_words += line + "\n";
  return end;
}

void VmTarget::Hear(const vm::KernelLine& line) {
  const std::lock_guard lock(mutex_);
  if (log_.size() < kLogLimit) log_.push_back(line);
  if (awaited_.empty() || line.text != awaited_) return;
  came_ = true;
  heard_.notify_all();
}

void VmTarget::SetRunning(bool running) {
  const std::lock_guard lock(mutex_);
  running_ = running;
  heard_.notify_all();
}

std::string VmTarget::marked_log() const { return kKernelLogDevice; }

std::vector<vm::KernelLine> VmTarget::TakeKernelLog(const std::string& until,
                                                    std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  awaited_ = until;
  came_ = until.empty() || std::any_of(log_.begin(), log_.end(),
                                       [&](const auto& line) { return line.text == until; });
  heard_.wait_for(lock, patience, [this] { return came_ || !running_; });
  awaited_.clear();
  return std::exchange(log_, {});
}

}  // namespace kfdcts::harness
