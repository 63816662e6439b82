// Where ranges go, and which GPUs map them.
#include <algorithm>

#include "harness/svm_model/bits.h"
#include "harness/svm_model/model.h"

namespace kfdcts::harness::svm_model {
namespace {

constexpr std::uint64_t kFaultPages = 512;  // a range made by a fault: 2 MiB of 4 KiB pages

}  // namespace

/// PRE-7, PRE-13.
std::uint32_t Model::BestPrefetch(const Range& range) const {
  if (range.prefetch == kUndefined || range.prefetch == kSystem) return range.prefetch;
  const auto target = PositionOf(range.prefetch);
  if (!target) return kSystem;
  const std::uint64_t users = machine_.xnack ? range.in_place : range.access | range.in_place;
  for (std::size_t i = 0; i < machine_.gpus.size(); ++i) {
    if (Has(users, i) && !ShareHive(i, *target)) return kSystem;
  }
  return range.prefetch;
}

Range Model::NewByFault(std::uint64_t page) const {
  Range range = Default();
  const auto mapping = std::prev(mapped_.upper_bound(page));
  range.first = std::max(mapping->first, page / kFaultPages * kFaultPages);
  range.last = std::min(mapping->second, (page / kFaultPages + 1) * kFaultPages) - 1;
  const auto next = ranges_.upper_bound(page);
  if (next != ranges_.end()) range.last = std::min(range.last, next->first - 1);
  if (next != ranges_.begin())
    range.first = std::max(range.first, std::prev(next)->second.last + 1);
  return range;
}

/// XNK-5.
std::optional<std::uint32_t> Model::BestOnFault(const Range& range, std::size_t gpu) const {
  const std::uint32_t id = machine_.gpus[gpu].id;
  const auto preferred = PositionOf(range.preferred);
  if (range.preferred == id || range.preferred == kSystem ||
      (preferred && ShareHive(*preferred, gpu))) {
    return range.preferred;
  }
  if (Has(range.access, gpu)) return id;
  if (!Has(range.in_place, gpu)) return std::nullopt;
  const auto actual = PositionOf(range.actual);
  return actual && ShareHive(*actual, gpu) ? range.actual : kSystem;
}

bool Model::GpuTouch(std::size_t gpu, std::uint64_t page) {
  if (!IsMapped(page, 1)) return false;
  const Range* found = Find(page);
  if (found == nullptr) {
    const Range made = NewByFault(page);
    found = &(ranges_[made.first] = made);
  }
  const auto best = BestOnFault(*found, gpu);
  if (!best) return false;
  Range& range = ranges_.at(found->first);
  range.actual = *best;
  range.mapped |= Bit(gpu);
  return true;
}

std::uint64_t Model::MappedOn(const Range& range) const {
  if (!machine_.xnack) return range.access | range.in_place;
  std::uint64_t set = range.in_place;
  const auto actual = PositionOf(range.actual);
  if (actual && Has(range.access, *actual)) set |= Bit(*actual);
  if (set == 0 && range.mapped != 0) set = range.access;
  if ((range.flags & kFlagAlwaysMapped) != 0) set |= range.access;
  return set | range.mapped;
}

bool Model::AreOneHive(std::uint64_t set) const {
  for (std::size_t a = 0; a < machine_.gpus.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      if (Has(set, a) && Has(set, b) && !ShareHive(a, b)) return false;
    }
  }
  return true;
}

bool Model::SetWouldHang(std::uint64_t first, std::uint64_t count,
                         std::span<const Attribute> attributes) const {
  Model after = *this;
  if (after.Set(first, count, attributes) != 0) return false;
  for (const auto& [start, range] : after.ranges_) {
    if (range.last < first || range.first >= first + count) continue;
    const std::uint64_t users = MappedOn(range);
    const auto actual = PositionOf(range.actual);
    if (actual && !AreOneHive(users | Bit(*actual))) return true;
    // A GPU's fault moves it to that GPU, and the next change of the CPU's maps it on all.
    const bool always = machine_.xnack && (range.flags & kFlagAlwaysMapped) != 0;
    if (always && !AreOneHive(users | range.access)) return true;
  }
  return false;
}

}  // namespace kfdcts::harness::svm_model
