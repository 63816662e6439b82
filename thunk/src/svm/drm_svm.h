#pragma once

#include <atomic>
#include <memory>
#include <span>

#include "thunk/src/context/gpu.h"
#include "thunk/src/kernel/drm_svm.h"
#include "thunk/src/memory/memory.h"
#include "thunk/src/svm/backend.h"
#include "thunk/src/svm/drm_attributes.h"
#include "thunk/src/topology/topology.h"

namespace kfdcts::thunk {

/// By DRM_AMDGPU_GEM_SVM on the GPUs' render nodes, each of which has attributes of its own. Beyond
/// SvmBackend's errors INVALID_PARAMETER: attributes of two GPUs in one call, or more than
/// uapi::kMostSvmAttributes after each flag became one. A call that names no GPU is one to the GPU
/// of the memory's object, or the first where it has none (PTR-22).
class DrmSvm final : public SvmBackend {
 public:
  /// All but `calls` outlive this; there is a GPU.
  DrmSvm(const DrmSvmCalls& calls, std::span<const Gpu> gpus, const Topology& topology,
         Memory& memory)
      : calls_(calls),
        gpus_(gpus),
        topology_(topology),
        memory_(memory),
        was_set_(std::make_unique<std::atomic<bool>[]>(gpus.size())) {}

  HSAKMT_STATUS Set(void* start, std::uint64_t size,
                    std::span<const HSA_SVM_ATTRIBUTE> attributes) override;
  HSAKMT_STATUS Get(void* start, std::uint64_t size,
                    std::span<HSA_SVM_ATTRIBUTE> attributes) override;
  /// Attributes outlive the memory that they are of: takes all away from every GPU that has some.
  void ReleaseAll() override;

 private:
  /// The GPU that the attributes are for; `set`: locations name nodes.
  HSAKMT_STATUS ChooseGpu(void* start, std::span<const HSA_SVM_ATTRIBUTE> attributes, bool set,
                          const Gpu*& gpu) const;
  HSAKMT_STATUS NameGpu(const HSA_SVM_ATTRIBUTE& attribute, const Gpu*& gpu) const;
  const Gpu& DefaultGpu(const void* start) const;
  HSAKMT_STATUS GetState(const Gpu& gpu, std::uint64_t start, std::uint64_t size,
                         DrmSvmState& state) const;

  DrmSvmCalls calls_;
  std::span<const Gpu> gpus_;
  const Topology& topology_;
  Memory& memory_;
  std::unique_ptr<std::atomic<bool>[]> was_set_;  ///< By place of the GPU.
};

}  // namespace kfdcts::thunk
