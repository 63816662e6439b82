#include "harness/svm_model/model.h"

#include <algorithm>
#include <sstream>

#include "harness/svm_model/bits.h"

namespace kfdcts::harness::svm_model {
namespace {

constexpr std::uint32_t kMostGranularity = 0x3f;
/// Two answers about locations merged (SVM-7).
std::uint32_t Merge(bool first, std::uint32_t so_far, std::uint32_t next) {
  return first || so_far == next ? next : kUndefined;
}

}  // namespace

std::optional<std::size_t> Model::PositionOf(std::uint32_t gpu_id) const {
  for (std::size_t i = 0; i < machine_.gpus.size(); ++i) {
    if (machine_.gpus[i].id == gpu_id) return i;
  }
  return std::nullopt;
}

bool Model::ShareHive(std::size_t a, std::size_t b) const {
  return a == b || (machine_.gpus[a].hive != 0 && machine_.gpus[a].hive == machine_.gpus[b].hive);
}

std::uint64_t Model::Supported() const {
  std::uint64_t set = 0;
  for (std::size_t i = 0; i < machine_.gpus.size(); ++i) {
    if (machine_.gpus[i].supported) set |= Bit(i);
  }
  return set;
}

/// SVM-4.
Range Model::Default() const {
  Range range;
  range.access = machine_.xnack ? Supported() : 0;
  return range;
}

const Range* Model::Find(std::uint64_t page) const {
  auto next = ranges_.upper_bound(page);
  if (next == ranges_.begin()) return nullptr;
  const Range& range = std::prev(next)->second;
  return range.last >= page ? &range : nullptr;
}

void Model::Map(std::uint64_t first, std::uint64_t count) {
  std::uint64_t end = first + count;
  auto at = mapped_.upper_bound(first);
  if (at != mapped_.begin() && std::prev(at)->second >= first) --at;
  while (at != mapped_.end() && at->first <= end) {
    first = std::min(first, at->first);
    end = std::max(end, at->second);
    at = mapped_.erase(at);
  }
  mapped_[first] = end;
}

bool Model::IsMapped(std::uint64_t first, std::uint64_t count) const {
  auto next = mapped_.upper_bound(first);
  return next != mapped_.begin() && std::prev(next)->second >= first + count;
}

int Model::Unmap(std::uint64_t first, std::uint64_t count) {
  if (count == 0) return kInvalid;
  const std::uint64_t end = first + count;
  bool any = false;
  std::map<std::uint64_t, std::uint64_t> left;
  for (const auto& [start, stop] : mapped_) {
    any = any || (start < end && stop > first);
    if (start < std::min(stop, first)) left[start] = std::min(stop, first);
    if (std::max(start, end) < stop) left[std::max(start, end)] = stop;
  }
  if (!any) return 0;
  mapped_ = std::move(left);
  // What is told to the driver is the call's whole interval, with the holes in it.
  SplitAt(first);
  SplitAt(end);
  ranges_.erase(ranges_.lower_bound(first), ranges_.lower_bound(end));
  return 0;
}

/// A range that begins before `page` and goes on behind it becomes two.
void Model::SplitAt(std::uint64_t page) {
  const Range* range = Find(page);
  if (range == nullptr || range->first == page) return;
  Range tail = *range;
  ranges_.at(tail.first).last = page - 1;
  tail.first = page;
  ranges_[page] = tail;
}

/// SVM-2, SVM-13, and undefined as a preferred location only.
int Model::CheckAttributes(std::span<const Attribute> attributes) const {
  for (const auto& [type, value] : attributes) {
    if (type > kGranularity) return kInvalid;
    if (type >= kSetFlags) continue;
    if (type == kPreferredLocation && (value == kSystem || value == kUndefined)) continue;
    if (type == kPrefetchLocation && value == kSystem) continue;
    const auto position = PositionOf(value);
    if (!position || !machine_.gpus[*position].supported) return kInvalid;
  }
  return 0;
}

/// SVM-3. An interval whose end wraps around is looked at at its first page only.
int Model::CheckAddress(std::uint64_t first, std::uint64_t count) const {
  constexpr unsigned kPageBits = 12;
  const bool wraps = ((first + count) << kPageBits) <= (first << kPageBits);
  return IsMapped(first, wraps ? 1 : count) ? 0 : kBadAddress;
}

/// SVM-6: judged attribute by attribute before any is applied, granularity unclamped.
bool Model::IsSame(const Range& range, std::span<const Attribute> attributes) const {
  for (const auto& [type, value] : attributes) {
    const std::size_t position = PositionOf(value).value_or(0);
    switch (type) {
      case kPreferredLocation:
        if (range.preferred != value) return false;
        break;
      case kPrefetchLocation:
        return false;
      case kAccess:
        if (!Has(range.access, position)) return false;
        break;
      case kAccessInPlace:
        if (!Has(range.in_place, position)) return false;
        break;
      case kNoAccess:
        if (Has(range.access | range.in_place, position)) return false;
        break;
      case kSetFlags:
        if ((range.flags & value) != value) return false;
        break;
      case kClearFlags:
        if ((range.flags & value) != 0) return false;
        break;
      default:
        if (range.granularity != value) return false;
    }
  }
  return true;
}

/// In their order, the last one wins (SVM-11); granularity is clamped (SVM-10).
void Model::Apply(Range& range, std::span<const Attribute> attributes) const {
  for (const auto& [type, value] : attributes) {
    const std::uint64_t bit = Bit(PositionOf(value).value_or(0));
    switch (type) {
      case kPreferredLocation:
        range.preferred = value;
        break;
      case kPrefetchLocation:
        range.prefetch = value;
        break;
      case kAccess:
      case kAccessInPlace:
      case kNoAccess:
        range.access = type == kAccess ? range.access | bit : range.access & ~bit;
        range.in_place = type == kAccessInPlace ? range.in_place | bit : range.in_place & ~bit;
        break;
      case kSetFlags:
        range.flags |= value;
        break;
      case kClearFlags:
        range.flags &= ~value;
        break;
      default:
        range.granularity = static_cast<std::uint8_t>(std::min(value, kMostGranularity));
    }
  }
}

void Model::FillHole(std::uint64_t first, std::uint64_t last, std::vector<std::uint64_t>& added) {
  const std::uint64_t most = machine_.most_pages;
  while (first <= last) {
    Range range = Default();
    range.first = first;
    range.last = most == 0 ? last : std::min(last, (first + most) / most * most - 1);
    ranges_[first] = range;
    added.push_back(first);
    first = range.last + 1;
  }
}

std::vector<std::uint64_t> Model::Select(std::uint64_t first, std::uint64_t last,
                                         std::span<const Attribute> attributes) {
  for (const std::uint64_t edge : {first, last + 1}) {
    const Range* range = Find(edge);
    if (range != nullptr && !IsSame(*range, attributes)) SplitAt(edge);
  }
  std::vector<std::uint64_t> changed;
  std::uint64_t next = first;
  while (next <= last) {
    const Range* range = Find(next);
    if (range == nullptr) {
      const auto after = ranges_.upper_bound(next);
      const std::uint64_t end = after == ranges_.end() ? last : std::min(last, after->first - 1);
      FillHole(next, end, changed);
      next = end + 1;
      continue;
    }
    if (!IsSame(*range, attributes)) changed.push_back(range->first);
    next = range->last + 1;
  }
  return changed;
}

int Model::Set(std::uint64_t first, std::uint64_t count, std::span<const Attribute> attributes) {
  if (first == 0 || count == 0) return kInvalid;
  if (const int result = CheckAttributes(attributes)) return result;
  if (const int result = CheckAddress(first, count)) return result;
  for (const std::uint64_t start : Select(first, first + count - 1, attributes)) {
    Range& range = ranges_.at(start);
    Apply(range, attributes);
    const std::uint32_t best = BestPrefetch(range);
    if (best != kUndefined) range.actual = best;
    range.mapped |= MappedOn(range);
  }
  return 0;
}

int Model::Get(std::uint64_t first, std::uint64_t count, std::vector<Attribute>& attributes) const {
  if (first == 0 || count == 0) return kInvalid;
  if (const int result = CheckAddress(first, count)) return result;
  for (const auto& [type, value] : attributes) {
    if (type > kGranularity || type == kAccessInPlace || type == kNoAccess) return kInvalid;
  }
  Range all = Default();
  std::uint32_t any_flags = all.flags;
  bool is_first = true;
  auto at = ranges_.lower_bound(first);
  if (at != ranges_.begin() && std::prev(at)->second.last >= first) --at;
  for (; at != ranges_.end() && at->first < first + count; ++at, is_first = false) {
    const Range& range = at->second;
    all.preferred = Merge(is_first, all.preferred, range.preferred);
    all.prefetch = Merge(is_first, all.prefetch, range.prefetch);
    all.access = is_first ? range.access : all.access & range.access;  // SVM-8
    all.in_place = is_first ? range.in_place : all.in_place & range.in_place;
    all.flags = is_first ? range.flags : all.flags & range.flags;  // SVM-9
    any_flags = is_first ? range.flags : any_flags | range.flags;
    all.granularity = is_first ? range.granularity : std::min(all.granularity, range.granularity);
  }
  for (auto& [type, value] : attributes) {
    switch (type) {
      case kPreferredLocation:
        value = all.preferred;
        break;
      case kPrefetchLocation:
        value = all.prefetch;
        break;
      case kSetFlags:
        value = all.flags;
        break;
      case kClearFlags:
        value = ~any_flags;
        break;
      case kGranularity:
        value = all.granularity;
        break;
      default:
        const auto position = PositionOf(value);
        if (!position) return kInvalid;
        type = Has(all.access, *position)     ? kAccess
               : Has(all.in_place, *position) ? kAccessInPlace
                                              : kNoAccess;
    }
  }
  return 0;
}

std::string Model::Text() const {
  std::ostringstream text;
  for (const auto& [start, range] : ranges_) {
    text << '[' << range.first << '-' << range.last << "] preferred " << range.preferred
         << " prefetch " << range.prefetch << " actual " << range.actual << " flags " << range.flags
         << " granularity " << unsigned{range.granularity} << " access " << range.access
         << " in place " << range.in_place << '\n';
  }
  return text.str();
}

}  // namespace kfdcts::harness::svm_model
