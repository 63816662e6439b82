#include "thunk/src/memory/range_index.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "thunk/src/fault/fault.h"

namespace kfdcts::thunk {
namespace {

constexpr std::size_t kRoom = 32;

/// How many of the sorted values are not greater than `key`.
std::size_t CountUpTo(const std::uint64_t* values, std::size_t count, std::uint64_t key) {
  if (count == 0) return 0;
  const std::uint64_t* base = values;
  while (count > 1) {
    const std::size_t half = count / 2;
    base += base[half - 1] <= key ? half : 0;
    count -= half;
  }
  return static_cast<std::size_t>(base - values) + (*base <= key ? 1 : 0);
}

}  // namespace

/// Sorted by start; of one start the greater range first, so that going backwards from an address
/// the closest and smallest comes first.
struct alignas(64) RangeIndex::Block {
  std::uint64_t starts[kRoom];
  std::uint64_t ends[kRoom];
  MemoryObject* objects[kRoom];
  std::uint64_t furthest[kRoom];  ///< The greatest end of the block's entries up to this one.
  std::size_t count = 0;

  /// What a look-up that succeeds reads of the block is asked for at once, before its search.
  void Prefetch() const {
    constexpr std::size_t kLine = 64;
    const auto* const bytes = reinterpret_cast<const std::byte*>(starts);
    for (std::size_t i = 0; i < offsetof(Block, furthest); i += kLine) {
      __builtin_prefetch(bytes + i);
    }
  }
  template <typename Move>
  void ForEachArray(Move move) {
    move(starts);
    move(ends);
    move(objects);
    move(furthest);
  }
  /// Moves the entries from `from` to the end of `to`.
  void MoveTail(std::size_t from, Block& to) {
    const auto move = [&](const auto* source, auto* target) {
      std::copy(source + from, source + count, target + to.count);
    };
    move(starts, to.starts);
    move(ends, to.ends);
    move(objects, to.objects);
    move(furthest, to.furthest);
    to.count += count - from;
    count = from;
  }
};

RangeIndex::RangeIndex(SystemCalls* calls) : pool_(std::make_unique<Pool<Block>>(calls)) {}
RangeIndex::~RangeIndex() = default;

RangeIndex::Position RangeIndex::After(std::uint64_t start) const noexcept {
  const std::size_t block = CountUpTo(first_starts_.data(), first_starts_.size(), start);
  if (block == 0) return {0, 0};
  const Block& candidate = *blocks_[block - 1];
  candidate.Prefetch();
  return {block - 1, CountUpTo(candidate.starts, candidate.count, start)};
}

RangeIndex::Position RangeIndex::After(std::uint64_t start, std::uint64_t end) const noexcept {
  Position at = After(start);
  for (Position before = at; Back(before) && StartAt(before) == start; at = before) {
    if (blocks_[before.block]->ends[before.entry] >= end) break;
  }
  return at;
}

bool RangeIndex::Back(Position& at) const noexcept {
  while (at.entry == 0) {
    if (at.block == 0) return false;
    --at.block;
    at.entry = blocks_[at.block]->count;
  }
  --at.entry;
  return true;
}

std::uint64_t RangeIndex::StartAt(Position at) const noexcept {
  return blocks_[at.block]->starts[at.entry];
}

MemoryObject* RangeIndex::ObjectAt(Position at) const noexcept {
  return blocks_[at.block]->objects[at.entry];
}

MemoryObject* RangeIndex::Find(std::uint64_t address) const noexcept {
  Position at = After(address);
  if (at.entry == 0) return nullptr;
  for (;;) {
    const Block& block = *blocks_[at.block];
    // The entry itself first: what lies closest holds the address more often than not.
    for (std::size_t i = at.entry; i > 0; --i) {
      if (block.ends[i - 1] > address) return block.objects[i - 1];
      if (block.furthest[i - 1] <= address) break;
      if (Broken(Fault::kNearestStartOnly)) return nullptr;
    }
    const std::size_t before = furthest_.LastAbove(at.block, address);
    if (before == GreatestTree::kNone) return nullptr;
    at = {before, blocks_[before]->count};
  }
}

MemoryObject* RangeIndex::FindExact(std::uint64_t start, std::uint64_t end) const noexcept {
  Position at = After(start, end);
  if (!Back(at) || StartAt(at) != start) return nullptr;
  return blocks_[at.block]->ends[at.entry] == end ? ObjectAt(at) : nullptr;
}

MemoryObject* RangeIndex::Any() const noexcept {
  return blocks_.empty() ? nullptr : blocks_.back()->objects[blocks_.back()->count - 1];
}

void RangeIndex::Insert(std::uint64_t start, std::uint64_t end, MemoryObject* object) {
  if (blocks_.empty()) {
    MakeRoomForABlock();
    AddBlock(0, pool_->New());
  }
  Position at = After(start, end);
  if (blocks_[at.block]->count == kRoom) Split(at);
  Block& block = *blocks_[at.block];
  block.ForEachArray([&](auto* array) {
    std::copy_backward(array + at.entry, array + block.count, array + block.count + 1);
  });
  block.starts[at.entry] = start;
  block.ends[at.entry] = end;
  block.objects[at.entry] = object;
  ++block.count;
  ++size_;
  Refresh(at.block, at.entry);
}

bool RangeIndex::Erase(std::uint64_t start, std::uint64_t end) noexcept {
  Position at = After(start, end);
  if (!Back(at) || StartAt(at) != start) return false;
  Block& block = *blocks_[at.block];
  if (block.ends[at.entry] != end) return false;
  block.ForEachArray(
      [&](auto* array) { std::copy(array + at.entry + 1, array + block.count, array + at.entry); });
  --block.count;
  --size_;
  if (block.count == 0) {
    RemoveBlock(at.block);
    return true;
  }
  Refresh(at.block, at.entry);
  MergeWithNext(at.block);
  return true;
}

void RangeIndex::MakeRoomForABlock() {
  const std::size_t needed = blocks_.size() + 1;
  if (blocks_.capacity() >= needed && first_starts_.capacity() >= needed &&
      furthest_ends_.capacity() >= needed) {
    return;
  }
  const std::size_t room = std::max<std::size_t>(2 * blocks_.size(), 16);
  furthest_.Reserve(room);
  first_starts_.reserve(room);
  furthest_ends_.reserve(room);
  blocks_.reserve(room);
}

void RangeIndex::AddBlock(std::size_t index, Block* block) noexcept {
  const auto offset = static_cast<std::ptrdiff_t>(index);
  blocks_.insert(blocks_.begin() + offset, block);
  first_starts_.insert(first_starts_.begin() + offset, 0);
  furthest_ends_.insert(furthest_ends_.begin() + offset, 0);
  furthest_.Assign(furthest_ends_);
}

// At an edge most of the block stays as it is: address space is mostly given out in order. Both
// halves are far from empty and from full, so that removing and adding again splits no more.
void RangeIndex::Split(Position& at) {
  MakeRoomForABlock();
  Block* const fresh = pool_->New();
  const std::size_t keep = at.entry == 0       ? kRoom / 4
                           : at.entry == kRoom ? kRoom - kRoom / 4
                                               : kRoom / 2;
  blocks_[at.block]->MoveTail(keep, *fresh);
  AddBlock(at.block + 1, fresh);
  Refresh(at.block, keep);
  Refresh(at.block + 1, 0);
  if (at.entry > keep) at = {at.block + 1, at.entry - keep};
}

void RangeIndex::RemoveBlock(std::size_t index) noexcept {
  const auto offset = static_cast<std::ptrdiff_t>(index);
  pool_->Delete(blocks_[index]);
  blocks_.erase(blocks_.begin() + offset);
  first_starts_.erase(first_starts_.begin() + offset);
  furthest_ends_.erase(furthest_ends_.begin() + offset);
  furthest_.Assign(furthest_ends_);
}

void RangeIndex::MergeWithNext(std::size_t index) noexcept {
  if (index + 1 >= blocks_.size()) return;
  Block& block = *blocks_[index];
  if (block.count + blocks_[index + 1]->count > kRoom / 2) return;
  const std::size_t from = block.count;
  blocks_[index + 1]->MoveTail(0, block);
  RemoveBlock(index + 1);
  Refresh(index, from);
}

void RangeIndex::Refresh(std::size_t index, std::size_t from) noexcept {
  Block& block = *blocks_[index];
  std::uint64_t furthest = from == 0 ? 0 : block.furthest[from - 1];
  for (std::size_t i = from; i < block.count; ++i) {
    furthest = std::max(furthest, block.ends[i]);
    block.furthest[i] = furthest;
  }
  first_starts_[index] = block.starts[0];
  furthest_ends_[index] = furthest;
  furthest_.Set(index, furthest);
}

}  // namespace kfdcts::thunk
