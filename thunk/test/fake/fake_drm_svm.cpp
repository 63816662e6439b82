#include "thunk/test/fake/fake_drm_svm.h"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <optional>

namespace kfdcts::thunk {
namespace {

using uapi::DrmSvmAttribute;

constexpr std::uint32_t kPrefetch = 1;
constexpr std::uint32_t kAccess = 2;
constexpr std::uint32_t kGranularity = 3;
constexpr std::uint32_t kFirstBoolean = 4;
constexpr std::uint32_t kUndefined = 0xffffffff;
constexpr std::uint32_t kGreatestGranularity = 0x3f;

int CheckOne(const DrmSvmAttribute& attribute) {
  const std::uint32_t type = attribute.type;
  const std::uint32_t value = attribute.value;
  const bool good = type < uapi::kSvmAttributeCount &&
                    !(type == kPrefetch && value == kUndefined) &&
                    !(type == kAccess && value > 2) && !(type >= kFirstBoolean && value > 1);
  return good ? 0 : -EINVAL;
}

std::uint32_t MergedValue(std::uint32_t type, std::uint32_t a, std::uint32_t b) {
  if (type >= kFirstBoolean) return a & b;
  if (type == kGranularity) return a < b ? a : b;
  if (a == b) return a;
  return type == kAccess ? 0 : kUndefined;
}

}  // namespace

FakeDrmSvm::Values FakeDrmSvm::Defaults() {
  return {kUndefined, kUndefined, 2, 9, 1, 1, 0, 0, 0, 0, 0};
}

int FakeDrmSvm::Check(std::span<const DrmSvmAttribute> attributes) {
  const bool good = std::all_of(attributes.begin(), attributes.end(),
                                [](const DrmSvmAttribute& one) { return CheckOne(one) == 0; });
  return good ? 0 : -EINVAL;
}

void FakeDrmSvm::SplitAt(std::uint64_t address) {
  auto entry = entries_.lower_bound(address);
  if (entry == entries_.begin()) return;
  --entry;
  if (entry->second.end <= address) return;
  entries_[address] = entry->second;
  entry->second.end = address;
}

template <typename Visit>
void FakeDrmSvm::ForEach(std::uint64_t start, std::uint64_t end, Visit visit) const {
  auto entry = entries_.upper_bound(start);
  if (entry != entries_.begin() && std::prev(entry)->second.end > start) --entry;
  while (start < end) {
    const bool hole = entry == entries_.end() || entry->first > start;
    const std::uint64_t next = entry == entries_.end() ? end
                               : hole                  ? entry->first
                                                       : entry->second.end;
    const std::uint64_t stop = std::min(next, end);
    visit(start, stop, hole ? Defaults() : entry->second.values);
    if (!hole) ++entry;
    start = stop;
  }
}

void FakeDrmSvm::Set(std::uint64_t start, std::uint64_t end,
                     std::span<const DrmSvmAttribute> attributes) {
  std::map<std::uint64_t, Entry> changed;
  ForEach(start, end, [&](std::uint64_t from, std::uint64_t to, Values values) {
    for (const DrmSvmAttribute& one : attributes) {
      values[one.type] =
          one.type == kGranularity ? std::min(one.value, kGreatestGranularity) : one.value;
    }
    changed[from] = {to, values};
  });
  Reset(start, end);
  entries_.merge(changed);
}

int FakeDrmSvm::Get(std::uint64_t start, std::uint64_t end,
                    std::span<DrmSvmAttribute> attributes) const {
  std::optional<Values> merged;
  ForEach(start, end, [&](std::uint64_t, std::uint64_t, const Values& values) {
    if (!merged) merged = values;
    for (std::uint32_t type = 0; type < values.size(); ++type) {
      (*merged)[type] = MergedValue(type, (*merged)[type], values[type]);
    }
  });
  for (DrmSvmAttribute& one : attributes) {
    if (one.type >= uapi::kSvmAttributeCount) return -EINVAL;
    one.value = (*merged)[one.type];
  }
  return 0;
}

void FakeDrmSvm::Reset(std::uint64_t start, std::uint64_t end) {
  SplitAt(start);
  SplitAt(end);
  entries_.erase(entries_.lower_bound(start), entries_.lower_bound(end));
}

std::uint64_t FakeDrmSvm::UniformEnd(std::uint64_t start, std::uint64_t end) const {
  std::optional<Values> first;
  std::uint64_t uniform = start;
  bool differs = false;
  ForEach(start, end, [&](std::uint64_t, std::uint64_t to, const Values& values) {
    if (!first) first = values;
    differs = differs || values != *first;
    if (!differs) uniform = to;
  });
  return uniform;
}

}  // namespace kfdcts::thunk
