#pragma once

#include "thunk/src/kernel/kfd.h"
#include "thunk/src/svm/backend.h"
#include "thunk/src/topology/topology.h"

namespace kfdcts::thunk {

/// By AMDKFD_IOC_SVM: any number of GPUs in a call, as many attributes as the ioctl's size field
/// can tell.
class KfdSvm final : public SvmBackend {
 public:
  /// Both outlive this.
  KfdSvm(const Kfd& kfd, const Topology& topology) : kfd_(kfd), topology_(topology) {}

  HSAKMT_STATUS Set(void* start, std::uint64_t size,
                    std::span<const HSA_SVM_ATTRIBUTE> attributes) override;
  HSAKMT_STATUS Get(void* start, std::uint64_t size,
                    std::span<HSA_SVM_ATTRIBUTE> attributes) override;

 private:
  const Kfd& kfd_;
  const Topology& topology_;
};

}  // namespace kfdcts::thunk
