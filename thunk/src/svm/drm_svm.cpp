#include "thunk/src/svm/drm_svm.h"

#include <algorithm>
#include <vector>

#include "thunk/src/kernel/page.h"

namespace kfdcts::thunk {
namespace {

using uapi::SvmAccess;
using uapi::SvmAttribute;

/// The end of what a process can map with four levels of page tables.
constexpr std::uint64_t kCpuLimit = std::uint64_t{1} << 47U;

HSAKMT_STATUS CheckArguments(const void* start, std::uint64_t size,
                             std::span<const HSA_SVM_ATTRIBUTE> attributes) {
  const bool known =
      std::all_of(attributes.begin(), attributes.end(), [](const HSA_SVM_ATTRIBUTE& one) {
        const std::uint32_t type = one.type;
        return type <= HSA_SVM_ATTR_GRANULARITY;
      });
  return IsSvmRange(start, size) && known && attributes.size() <= uapi::kMostSvmAttributes
             ? HSAKMT_STATUS_SUCCESS
             : HSAKMT_STATUS_INVALID_PARAMETER;
}

std::uint32_t DrmLocation(const Topology& topology, std::uint32_t node) {
  if (node == INVALID_NODEID) return uapi::kSvmUndefined;
  return topology.GpuIdOf(node).value_or(0) == 0 ? uapi::kSvmSystemMemory : uapi::kSvmThisGpu;
}

std::uint32_t NodeOf(const Gpu& gpu, std::uint32_t location) {
  if (location == uapi::kSvmSystemMemory) return 0;
  return location == uapi::kSvmUndefined ? INVALID_NODEID : gpu.node_id;
}

std::uint32_t AccessType(std::uint32_t access) {
  if (access == static_cast<std::uint32_t>(SvmAccess::kAllowMigrate)) return HSA_SVM_ATTR_ACCESS;
  return access == static_cast<std::uint32_t>(SvmAccess::kInPlace) ? HSA_SVM_ATTR_ACCESS_IN_PLACE
                                                                   : HSA_SVM_ATTR_NO_ACCESS;
}

void Answer(const Gpu& gpu, const DrmSvmState& state, HSA_SVM_ATTRIBUTE& attribute) {
  switch (attribute.type) {
    case HSA_SVM_ATTR_PREFERRED_LOC:
      attribute.value = NodeOf(gpu, state.Value(SvmAttribute::kPreferredLocation));
      return;
    case HSA_SVM_ATTR_PREFETCH_LOC:
      attribute.value = NodeOf(gpu, state.Value(SvmAttribute::kPrefetchLocation));
      return;
    case HSA_SVM_ATTR_SET_FLAGS:
      attribute.value = state.Flags();
      return;
    case HSA_SVM_ATTR_CLR_FLAGS:
      attribute.value = ~state.Flags();
      return;
    case HSA_SVM_ATTR_GRANULARITY:
      attribute.value = state.Value(SvmAttribute::kGranularity);
      return;
    default:
      attribute.type = AccessType(state.Value(SvmAttribute::kAccess));
  }
}

}  // namespace

const Gpu& DrmSvm::DefaultGpu(const void* start) const {
  HsaPointerInfo info{};
  if (memory_.Query(start, &info) == HSAKMT_STATUS_SUCCESS) {
    if (const Gpu* gpu = FindGpu(gpus_, info.Node)) return *gpu;
  }
  return gpus_.front();
}

HSAKMT_STATUS DrmSvm::NameGpu(const HSA_SVM_ATTRIBUTE& attribute, const Gpu*& gpu) const {
  const std::uint32_t node = attribute.value;
  const std::uint32_t type = attribute.type;
  if (type == HSA_SVM_ATTR_PREFERRED_LOC && node == INVALID_NODEID) return HSAKMT_STATUS_SUCCESS;
  const auto gpu_id = topology_.GpuIdOf(node);
  if (!gpu_id || (*gpu_id == 0 && IsSvmAccess(type))) return HSAKMT_STATUS_INVALID_NODE_UNIT;
  if (*gpu_id == 0) return HSAKMT_STATUS_SUCCESS;
  const Gpu* named = FindGpu(gpus_, node);
  if (named == nullptr) return HSAKMT_STATUS_INVALID_NODE_UNIT;
  if (gpu != nullptr && gpu != named) return HSAKMT_STATUS_INVALID_PARAMETER;
  gpu = named;
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS DrmSvm::ChooseGpu(void* start, std::span<const HSA_SVM_ATTRIBUTE> attributes,
                                bool set, const Gpu*& gpu) const {
  for (const HSA_SVM_ATTRIBUTE& attribute : attributes) {
    if (!IsSvmAccess(attribute.type) && !(set && IsSvmLocation(attribute.type))) continue;
    if (const auto status = NameGpu(attribute, gpu); status != HSAKMT_STATUS_SUCCESS) return status;
  }
  if (gpu == nullptr) gpu = &DefaultGpu(start);
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS DrmSvm::Set(void* start, std::uint64_t size,
                          std::span<const HSA_SVM_ATTRIBUTE> attributes) {
  const Gpu* gpu = nullptr;
  HSAKMT_STATUS status = CheckArguments(start, size, attributes);
  if (status == HSAKMT_STATUS_SUCCESS) status = ChooseGpu(start, attributes, true, gpu);
  if (status != HSAKMT_STATUS_SUCCESS) return status;
  std::vector<uapi::DrmSvmAttribute> drm;
  for (const HSA_SVM_ATTRIBUTE& attribute : attributes) {
    AppendDrmAttributes(attribute, DrmLocation(topology_, attribute.value), drm);
  }
  if (drm.size() > uapi::kMostSvmAttributes) return HSAKMT_STATUS_INVALID_PARAMETER;
  const auto address = reinterpret_cast<std::uintptr_t>(start);
  if (drm.empty()) {  // the kernel refuses an empty list, but the range must be one all the same
    DrmSvmState unused;
    return GetState(*gpu, address, size, unused);
  }
  was_set_[static_cast<std::size_t>(gpu - gpus_.data())] = true;
  return calls_.Set(gpu->drm_fd, address, size, drm) < 0 ? HSAKMT_STATUS_ERROR
                                                         : HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS DrmSvm::GetState(const Gpu& gpu, std::uint64_t start, std::uint64_t size,
                               DrmSvmState& state) const {
  for (std::uint64_t done = 0; done < size;) {
    DrmSvmState segment;
    std::uint64_t length = size - done;
    if (calls_.Get(gpu.drm_fd, start + done, length, segment.attributes()) < 0 || length == 0 ||
        length > size - done || OffsetInPage(length) != 0) {
      return HSAKMT_STATUS_ERROR;
    }
    if (done == 0) {
      state = segment;
    } else {
      state.Merge(segment);
    }
    done += length;
  }
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS DrmSvm::Get(void* start, std::uint64_t size,
                          std::span<HSA_SVM_ATTRIBUTE> attributes) {
  const Gpu* gpu = nullptr;
  HSAKMT_STATUS status = CheckArguments(start, size, attributes);
  if (status == HSAKMT_STATUS_SUCCESS) status = ChooseGpu(start, attributes, false, gpu);
  if (status != HSAKMT_STATUS_SUCCESS) return status;
  // As through KFD, a question for one kind of access alone is refused (SVM-2).
  for (const HSA_SVM_ATTRIBUTE& attribute : attributes) {
    if (attribute.type == HSA_SVM_ATTR_ACCESS_IN_PLACE ||
        attribute.type == HSA_SVM_ATTR_NO_ACCESS) {
      return HSAKMT_STATUS_ERROR;
    }
  }
  DrmSvmState state;
  status = GetState(*gpu, reinterpret_cast<std::uintptr_t>(start), size, state);
  if (status != HSAKMT_STATUS_SUCCESS) return status;
  for (HSA_SVM_ATTRIBUTE& attribute : attributes) Answer(*gpu, state, attribute);
  return HSAKMT_STATUS_SUCCESS;
}

void DrmSvm::ReleaseAll() {
  for (std::size_t place = 0; place < gpus_.size(); ++place) {
    if (!was_set_[place].exchange(false)) continue;
    const std::uint64_t size = kCpuLimit - 2 * PageSize();
    // What the kernel did not take away is for the next release.
    if (calls_.Reset(gpus_[place].drm_fd, PageSize(), size) < 0) was_set_[place] = true;
  }
}

}  // namespace kfdcts::thunk
