#pragma once

#include "harness/target/target.h"

namespace kfdcts::harness {

/// The running kernel.
class HostTarget : public Target {
 public:
  /// `program` is this program or one like it: it is started with kExecuteFlag.
  explicit HostTarget(std::filesystem::path program) : program_(std::move(program)) {}

  End Run(const Launch& launch) override;
  std::filesystem::path ExecutorFolder(const Launch& launch) const override {
    return launch.folder;
  }

 private:
  std::filesystem::path program_;
};

}  // namespace kfdcts::harness
