#include <algorithm>

#include "thunk/src/memory/range_index.h"

namespace kfdcts::thunk {

void GreatestTree::Reserve(std::size_t size) {
  for (std::size_t level = 0;; ++level) {
    if (level == levels_.size()) levels_.emplace_back();
    levels_[level].reserve(size);
    if (size <= 1) return;
    size = (size + kFanOut - 1) / kFanOut;
  }
}

void GreatestTree::Assign(const std::vector<std::uint64_t>& values) noexcept {
  levels_[0].assign(values.begin(), values.end());
  used_ = 1;
  while (levels_[used_ - 1].size() > 1) {
    const std::size_t below = levels_[used_ - 1].size();
    levels_[used_].resize((below + kFanOut - 1) / kFanOut);
    for (std::size_t i = 0; i < levels_[used_].size(); ++i) Raise(used_, i);
    ++used_;
  }
}

void GreatestTree::Raise(std::size_t level, std::size_t index) noexcept {
  const std::vector<std::uint64_t>& below = levels_[level - 1];
  const std::size_t end = std::min(below.size(), (index + 1) * kFanOut);
  std::uint64_t greatest = 0;
  for (std::size_t i = index * kFanOut; i < end; ++i) greatest = std::max(greatest, below[i]);
  levels_[level][index] = greatest;
}

void GreatestTree::Set(std::size_t index, std::uint64_t value) noexcept {
  levels_[0][index] = value;
  for (std::size_t level = 1; level < used_; ++level) {
    index /= kFanOut;
    Raise(level, index);
  }
}

std::size_t GreatestTree::LastInGroup(std::size_t level, std::size_t end,
                                      std::uint64_t threshold) const noexcept {
  if (end == 0) return kNone;
  const std::size_t first = (end - 1) / kFanOut * kFanOut;
  for (std::size_t i = end; i > first; --i) {
    if (levels_[level][i - 1] > threshold) return i - 1;
  }
  return kNone;
}

std::size_t GreatestTree::LastAbove(std::size_t end, std::uint64_t threshold) const noexcept {
  std::size_t level = 0;
  std::size_t found = kNone;
  // Up, until a group before the end holds one; each level leaves out what was looked at below.
  while (level < used_ && end > 0) {
    found = LastInGroup(level, end, threshold);
    if (found != kNone) break;
    end = (end - 1) / kFanOut;
    ++level;
  }
  if (found == kNone) return kNone;
  while (level > 0) {
    --level;
    found = LastInGroup(level, std::min(levels_[level].size(), (found + 1) * kFanOut), threshold);
  }
  return found;
}

}  // namespace kfdcts::thunk
