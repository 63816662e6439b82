#include <algorithm>
#include <cerrno>
#include <iterator>
#include <span>
#include <utility>

#include "thunk/test/fake/fake_process.h"

namespace kfdcts::thunk {
namespace {

constexpr std::uint32_t kUndefined = KFD_IOCTL_SVM_LOCATION_UNDEFINED;
constexpr std::uint32_t kSystem = KFD_IOCTL_SVM_LOCATION_SYSMEM;
constexpr std::uint32_t kMaxGranularity = 0x3f;

std::uint32_t CommonPlace(std::uint32_t a, std::uint32_t b) { return a == b ? a : kUndefined; }

}  // namespace

/// SVM-7…10: what several ranges have in common.
struct FakeSvm::Merged {
  Attributes common;
  std::uint32_t any_flags = 0;  ///< set in at least one
};

std::size_t FakeSvm::GpuIndex(std::uint32_t gpu_id) const {
  const auto gpu = std::find_if(machine_.gpus.begin(), machine_.gpus.end(),
                                [&](const FakeGpu& g) { return g.gpu_id == gpu_id; });
  return static_cast<std::size_t>(gpu - machine_.gpus.begin());
}

int FakeSvm::CheckOne(const kfd_ioctl_svm_attribute& attribute) const {
  const std::size_t gpu = GpuIndex(attribute.value);
  const bool svm_gpu = gpu < machine_.gpus.size() && machine_.gpus[gpu].svm;
  switch (attribute.type) {
    case KFD_IOCTL_SVM_ATTR_PREFERRED_LOC:
      return attribute.value == kUndefined || attribute.value == kSystem || svm_gpu ? 0 : -EINVAL;
    case KFD_IOCTL_SVM_ATTR_PREFETCH_LOC:
      return attribute.value == kSystem || svm_gpu ? 0 : -EINVAL;
    case KFD_IOCTL_SVM_ATTR_ACCESS:
    case KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE:
    case KFD_IOCTL_SVM_ATTR_NO_ACCESS:
      return svm_gpu ? 0 : -EINVAL;
    case KFD_IOCTL_SVM_ATTR_SET_FLAGS:
    case KFD_IOCTL_SVM_ATTR_CLR_FLAGS:
    case KFD_IOCTL_SVM_ATTR_GRANULARITY:
      return 0;
    default:
      return -EINVAL;
  }
}

int FakeSvm::Check(std::uint32_t count, const kfd_ioctl_svm_attribute* attributes) const {
  for (std::uint32_t i = 0; i < count; ++i)
    if (CheckOne(attributes[i]) != 0) return -EINVAL;
  return 0;
}

void FakeSvm::Apply(const kfd_ioctl_svm_attribute& attribute, Attributes& attributes) const {
  const std::uint32_t value = attribute.value;
  const auto set_access = [&](bool access, bool in_place) {
    const std::uint64_t bit = 1ull << GpuIndex(value);
    attributes.access = access ? attributes.access | bit : attributes.access & ~bit;
    attributes.in_place = in_place ? attributes.in_place | bit : attributes.in_place & ~bit;
  };
  switch (attribute.type) {
    case KFD_IOCTL_SVM_ATTR_PREFERRED_LOC:
      attributes.preferred = value;
      break;
    case KFD_IOCTL_SVM_ATTR_PREFETCH_LOC:
      attributes.prefetch = value;
      break;
    case KFD_IOCTL_SVM_ATTR_ACCESS:
      set_access(true, false);
      break;
    case KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE:
      set_access(false, true);
      break;
    case KFD_IOCTL_SVM_ATTR_NO_ACCESS:
      set_access(false, false);
      break;
    case KFD_IOCTL_SVM_ATTR_SET_FLAGS:
      attributes.flags |= value;
      break;
    case KFD_IOCTL_SVM_ATTR_CLR_FLAGS:
      attributes.flags &= ~value;
      break;
    default:
      attributes.granularity = std::min(value, kMaxGranularity);
  }
}

void FakeSvm::SplitAt(std::uint64_t address) {
  auto range = ranges_.lower_bound(address);
  if (range == ranges_.begin()) return;
  --range;
  if (range->second.end <= address) return;
  ranges_[address] = range->second;
  range->second.end = address;
}

FakeSvm::Attributes FakeSvm::Defaults(bool xnack) const {
  Attributes attributes;
  for (std::size_t gpu = 0; xnack && gpu < machine_.gpus.size(); ++gpu)
    if (machine_.gpus[gpu].svm) attributes.access |= 1ull << gpu;
  return attributes;
}

int FakeSvm::Set(std::uint64_t start, std::uint64_t size, std::uint32_t count, bool xnack,
                 const kfd_ioctl_svm_attribute* attributes) {
  const std::uint64_t end = start + size;
  SplitAt(start);
  SplitAt(end);
  std::uint64_t at = start;
  while (at < end) {  // holes become ranges with the defaults
    const auto next = ranges_.lower_bound(at);
    if (next != ranges_.end() && next->first == at) {
      at = next->second.end;
      continue;
    }
    const std::uint64_t hole_end = next == ranges_.end() ? end : std::min(end, next->first);
    ranges_[at] = {hole_end, Defaults(xnack)};
    at = hole_end;
  }
  for (auto range = ranges_.find(start); range != ranges_.end() && range->first < end; ++range)
    for (std::uint32_t i = 0; i < count; ++i) Apply(attributes[i], range->second.attributes);
  return 0;
}

FakeSvm::Merged FakeSvm::Merge(std::uint64_t start, std::uint64_t end, bool xnack) const {
  Merged merged;
  bool first = true;
  auto range = ranges_.upper_bound(start);
  if (range != ranges_.begin() && std::prev(range)->second.end > start) --range;
  for (; range != ranges_.end() && range->first < end; ++range) {
    const Attributes& one = range->second.attributes;
    merged.any_flags |= one.flags;
    Attributes& common = merged.common;
    if (std::exchange(first, false)) {
      common = one;
      continue;
    }
    common.preferred = CommonPlace(common.preferred, one.preferred);
    common.prefetch = CommonPlace(common.prefetch, one.prefetch);
    common.granularity = std::min(common.granularity, one.granularity);
    common.flags &= one.flags;
    common.access &= one.access;
    common.in_place &= one.in_place;
  }
  if (!first) return merged;
  merged.common = Defaults(xnack);
  merged.any_flags = merged.common.flags;
  return merged;
}

int FakeSvm::Get(std::uint64_t start, std::uint64_t size, std::uint32_t count, bool xnack,
                 kfd_ioctl_svm_attribute* attributes) const {
  const std::span<kfd_ioctl_svm_attribute> asked(attributes, count);
  for (const kfd_ioctl_svm_attribute& attribute : asked)
    if (attribute.type == KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE ||
        attribute.type == KFD_IOCTL_SVM_ATTR_NO_ACCESS ||
        attribute.type > KFD_IOCTL_SVM_ATTR_GRANULARITY)
      return -EINVAL;
  const auto [common, any_flags] = Merge(start, start + size, xnack);
  for (kfd_ioctl_svm_attribute& attribute : asked) {
    if (attribute.type == KFD_IOCTL_SVM_ATTR_ACCESS) {
      const std::size_t gpu = GpuIndex(attribute.value);
      if (gpu == machine_.gpus.size()) return -EINVAL;
      if (common.access >> gpu & 1) continue;
      attribute.type = common.in_place >> gpu & 1 ? KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE
                                                  : KFD_IOCTL_SVM_ATTR_NO_ACCESS;
    } else if (attribute.type == KFD_IOCTL_SVM_ATTR_PREFERRED_LOC) {
      attribute.value = common.preferred;
    } else if (attribute.type == KFD_IOCTL_SVM_ATTR_PREFETCH_LOC) {
      attribute.value = common.prefetch;
    } else if (attribute.type == KFD_IOCTL_SVM_ATTR_SET_FLAGS) {
      attribute.value = common.flags;
    } else if (attribute.type == KFD_IOCTL_SVM_ATTR_CLR_FLAGS) {
      attribute.value = ~any_flags;
    } else {
      attribute.value = common.granularity;
    }
  }
  return 0;
}

void FakeSvm::Forget(std::uint64_t start, std::uint64_t end) {
  if (ranges_.empty()) return;
  SplitAt(start);
  SplitAt(end);
  ranges_.erase(ranges_.lower_bound(start), ranges_.lower_bound(end));
}

bool FakeSvm::Overlaps(std::uint64_t start, std::uint64_t end) const {
  const auto range = ranges_.lower_bound(end);
  return range != ranges_.begin() && std::prev(range)->second.end > start;
}

}  // namespace kfdcts::thunk
