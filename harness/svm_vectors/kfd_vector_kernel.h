#pragma once

#include "harness/gpu/session.h"
#include "harness/svm_vectors/replay.h"

namespace kfdcts::harness {

/// This process's KFD, by raw ioctls. One a process's life, and KFD was never opened in it before.
class KfdVectorKernel : public VectorKernel {
 public:
  /// Opens KFD, acquires every GPU and sets the XNACK mode. Throws GpuError; CapabilityMissing
  /// where the kernel has no SVM or refuses the mode.
  explicit KfdVectorKernel(bool xnack);

  int Map(std::uint64_t address, std::uint64_t bytes) override;
  int Munmap(std::uint64_t address, std::uint64_t bytes) override;
  int Set(std::uint64_t address, std::uint64_t bytes,
          const std::vector<VectorAttribute>& attributes) override;
  int Get(std::uint64_t address, std::uint64_t bytes,
          std::vector<VectorAttribute>& attributes) override;

 private:
  gpu::Session session_;
};

/// Replays a sequence in this process and fails the running test for each difference. Throws
/// CapabilityMissing where the machine cannot have it, and as KfdVectorKernel and Replay.
void ReplayHere(const VectorSequence& sequence);

}  // namespace kfdcts::harness
