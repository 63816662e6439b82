#include "thunk/src/svm/kfd_svm.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "thunk/src/fault/fault.h"

namespace kfdcts::thunk {
namespace {

constexpr bool AreOne(HSA_SVM_ATTR_TYPE type, kfd_ioctl_svm_attr_type kernels) {
  return static_cast<int>(type) == static_cast<int>(kernels);
}
static_assert(AreOne(HSA_SVM_ATTR_PREFERRED_LOC, KFD_IOCTL_SVM_ATTR_PREFERRED_LOC));
static_assert(AreOne(HSA_SVM_ATTR_PREFETCH_LOC, KFD_IOCTL_SVM_ATTR_PREFETCH_LOC));
static_assert(AreOne(HSA_SVM_ATTR_ACCESS, KFD_IOCTL_SVM_ATTR_ACCESS));
static_assert(AreOne(HSA_SVM_ATTR_ACCESS_IN_PLACE, KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE));
static_assert(AreOne(HSA_SVM_ATTR_NO_ACCESS, KFD_IOCTL_SVM_ATTR_NO_ACCESS));
static_assert(AreOne(HSA_SVM_ATTR_SET_FLAGS, KFD_IOCTL_SVM_ATTR_SET_FLAGS));
static_assert(AreOne(HSA_SVM_ATTR_CLR_FLAGS, KFD_IOCTL_SVM_ATTR_CLR_FLAGS));
static_assert(AreOne(HSA_SVM_ATTR_GRANULARITY, KFD_IOCTL_SVM_ATTR_GRANULARITY));

using KernelAttributes = std::vector<kfd_ioctl_svm_attribute>;

constexpr std::size_t kLargest = (1U << _IOC_SIZEBITS) - 1;
constexpr std::size_t kMost =
    (kLargest - sizeof(kfd_ioctl_svm_args)) / sizeof(kfd_ioctl_svm_attribute);

HSAKMT_STATUS CheckArguments(const void* start, std::uint64_t size, std::size_t count) {
  const std::size_t most = Broken(Fault::kSvmListHalved) ? kMost / 2 : kMost;
  return IsSvmRange(start, size) && count <= most ? HSAKMT_STATUS_SUCCESS
                                                  : HSAKMT_STATUS_INVALID_PARAMETER;
}

/// What is asked of the kernel: all.
template <typename Attribute>
std::span<Attribute> Taken(std::span<Attribute> attributes) {
  if (!Broken(Fault::kSvmListCut)) return attributes;
  return attributes.first(std::min(attributes.size(), kMost));
}

bool NamesTwoGpus(const KernelAttributes& attributes) {
  std::uint32_t named = 0;
  for (const kfd_ioctl_svm_attribute& one : attributes) {
    if (!IsSvmAccess(one.type)) continue;
    if (named != 0 && named != one.value) return true;
    named = one.value;
  }
  return false;
}

/// A node as the kernel names it: the CPU's is KFD_IOCTL_SVM_LOCATION_SYSMEM.
std::optional<std::uint32_t> GpuIdOf(const Topology& topology, std::uint32_t type,
                                     std::uint32_t node) {
  static_assert(KFD_IOCTL_SVM_LOCATION_SYSMEM == 0);
  if (type == HSA_SVM_ATTR_PREFERRED_LOC && node == INVALID_NODEID) {
    return KFD_IOCTL_SVM_LOCATION_UNDEFINED;
  }
  const std::optional<std::uint32_t> gpu_id = topology.GpuIdOf(node);
  if (!gpu_id && Broken(Fault::kSvmUnknownNodeIsCpu)) return KFD_IOCTL_SVM_LOCATION_SYSMEM;
  const bool passes = Broken(Fault::kSvmCpuIsAccess);
  if (gpu_id && *gpu_id == 0 && IsSvmAccess(type) && !passes) return std::nullopt;
  return gpu_id;
}

/// `asked`: an attribute of GetAttr, whose location is an answer and not looked at.
HSAKMT_STATUS ToKernel(const Topology& topology, const HSA_SVM_ATTRIBUTE& attribute, bool asked,
                       kfd_ioctl_svm_attribute& kernels) {
  if (attribute.type > HSA_SVM_ATTR_GRANULARITY) return HSAKMT_STATUS_INVALID_PARAMETER;
  kernels = {.type = attribute.type, .value = attribute.value};
  if (IsSvmAccess(attribute.type) || (IsSvmLocation(attribute.type) && !asked)) {
    const auto gpu_id = GpuIdOf(topology, attribute.type, attribute.value);
    if (!gpu_id) return HSAKMT_STATUS_INVALID_NODE_UNIT;
    kernels.value = *gpu_id;
  }
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS ToKernel(const Topology& topology, std::span<const HSA_SVM_ATTRIBUTE> attributes,
                       bool asked, KernelAttributes& kernels) {
  kernels.resize(attributes.size());
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    const HSAKMT_STATUS status = ToKernel(topology, attributes[i], asked, kernels[i]);
    if (status != HSAKMT_STATUS_SUCCESS) return status;
  }
  return HSAKMT_STATUS_SUCCESS;
}

/// The node that the kernel's answer to a location names.
std::optional<std::uint32_t> NodeOf(const Topology& topology, std::uint32_t location) {
  if (location == KFD_IOCTL_SVM_LOCATION_SYSMEM) return 0;
  if (location == KFD_IOCTL_SVM_LOCATION_UNDEFINED) return INVALID_NODEID;
  return topology.NodeOf(location);
}

}  // namespace

HSAKMT_STATUS KfdSvm::Set(void* start, std::uint64_t size,
                          std::span<const HSA_SVM_ATTRIBUTE> attributes) {
  attributes = Taken(attributes);
  if (const auto status = CheckArguments(start, size, attributes.size()); status != 0) {
    return status;
  }
  KernelAttributes kernels;
  if (const auto status = ToKernel(topology_, attributes, false, kernels); status != 0) {
    return status;
  }
  if (Broken(Fault::kSvmKfdOneGpu) && NamesTwoGpus(kernels)) return HSAKMT_STATUS_INVALID_PARAMETER;
  const auto address = reinterpret_cast<std::uintptr_t>(start);
  return kfd_.Svm(KFD_IOCTL_SVM_OP_SET_ATTR, address, size, kernels) < 0 ? HSAKMT_STATUS_ERROR
                                                                         : HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS KfdSvm::Get(void* start, std::uint64_t size,
                          std::span<HSA_SVM_ATTRIBUTE> attributes) {
  attributes = Taken(attributes);
  if (const auto status = CheckArguments(start, size, attributes.size()); status != 0) {
    return status;
  }
  KernelAttributes kernels;
  if (const auto status = ToKernel(topology_, attributes, true, kernels); status != 0) {
    return status;
  }
  const auto address = reinterpret_cast<std::uintptr_t>(start);
  if (kfd_.Svm(KFD_IOCTL_SVM_OP_GET_ATTR, address, size, kernels) < 0) return HSAKMT_STATUS_ERROR;
  for (kfd_ioctl_svm_attribute& answer : kernels) {
    if (!IsSvmLocation(answer.type)) continue;
    const auto node = NodeOf(topology_, answer.value);
    if (!node) return HSAKMT_STATUS_ERROR;
    answer.value = *node;
  }
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    attributes[i].type = kernels[i].type;
    if (!IsSvmAccess(kernels[i].type)) attributes[i].value = kernels[i].value;
  }
  return HSAKMT_STATUS_SUCCESS;
}

}  // namespace kfdcts::thunk
