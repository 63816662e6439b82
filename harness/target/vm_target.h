#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "harness/target/target.h"
#include "harness/vm/guest_run.h"

namespace kfdcts::harness {

/// A kernel in an emulator, booted by the launcher; the same program runs in it.
class VmTarget : public Target {
 public:
  using Runner = std::function<vm::GuestResult(const vm::GuestRun&)>;

  /// `guest` says what to boot; command, environment, results and callbacks are set here.
  /// `program` is started in the guest with kExecuteFlag.
  VmTarget(vm::GuestRun guest, std::filesystem::path program, Runner runner = vm::Run)
      : guest_(std::move(guest)), program_(std::move(program)), runner_(std::move(runner)) {}

  End Run(const Launch& launch) override;
  std::filesystem::path ExecutorFolder(const Launch& launch) const override;
  std::string marked_log() const override;
  std::vector<vm::KernelLine> TakeKernelLog(const std::string& until,
                                            std::chrono::milliseconds patience) override;

 private:
  void Hear(const vm::KernelLine& line);
  void SetRunning(bool running);

  vm::GuestRun guest_;
  std::filesystem::path program_;
  Runner runner_;
  std::mutex mutex_;
  std::condition_variable heard_;
  std::vector<vm::KernelLine> log_;  ///< Guarded by mutex_, as what follows.
  std::string awaited_;              ///< A line's text; empty: none.
  bool came_ = false;                ///< That line.
  bool running_ = false;
};

}  // namespace kfdcts::harness
