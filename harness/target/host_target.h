#pragma once

#include <optional>

#include "harness/probes/kernel_log_device.h"
#include "harness/target/target.h"

namespace kfdcts::harness {

/// The running kernel.
class HostTarget : public Target {
 public:
  /// `program` is this program or one like it: it is started with kExecuteFlag. `kernel_log` is the
  /// device, which this user may be able to read and to write, or not; empty: none.
  explicit HostTarget(std::filesystem::path program, std::string kernel_log = "")
      : program_(std::move(program)), kernel_log_(std::move(kernel_log)) {}

  End Run(const Launch& launch) override;
  std::filesystem::path ExecutorFolder(const Launch& launch) const override {
    return launch.folder;
  }
  std::string marked_log() const override;
  std::vector<vm::KernelLine> TakeKernelLog(const std::string& until,
                                            std::chrono::milliseconds patience) override;

 private:
  std::filesystem::path program_;
  std::string kernel_log_;
  std::optional<KernelLogReader> reader_;
};

}  // namespace kfdcts::harness
