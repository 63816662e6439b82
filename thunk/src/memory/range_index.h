#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "thunk/src/memory/pool.h"

namespace kfdcts::thunk {

struct MemoryObject;

/// Greatest values over groups of a sequence, so that the last element above a threshold is found
/// in logarithmic time.
class GreatestTree {
 public:
  /// Room for a sequence of `size` elements; may throw, everything else does not.
  void Reserve(std::size_t size);
  /// Takes the sequence anew; within the reserved room.
  void Assign(const std::vector<std::uint64_t>& values) noexcept;
  void Set(std::size_t index, std::uint64_t value) noexcept;
  /// The last index below `end` whose value is greater than `threshold`; kNone where there is none.
  std::size_t LastAbove(std::size_t end, std::uint64_t threshold) const noexcept;

  static constexpr std::size_t kNone = ~std::size_t{0};

 private:
  static constexpr std::size_t kFanOut = 16;
  std::size_t LastInGroup(std::size_t level, std::size_t end,
                          std::uint64_t threshold) const noexcept;
  void Raise(std::size_t level, std::size_t index) noexcept;

  std::vector<std::vector<std::uint64_t>> levels_;
  std::size_t used_ = 0;
};

/// Address ranges, each of an object; they may overlap. Which object holds an address is found in
/// logarithmic time with few cache misses: ranges lie sorted in blocks, over which there are sorted
/// arrays of first addresses. Not synchronised.
class RangeIndex {
 public:
  /// For `calls` see Pool.
  explicit RangeIndex(SystemCalls* calls = nullptr);
  ~RangeIndex();
  RangeIndex(const RangeIndex&) = delete;
  RangeIndex& operator=(const RangeIndex&) = delete;

  /// Adds [start, end), which is not there yet and not empty. Nothing has changed where it throws.
  void Insert(std::uint64_t start, std::uint64_t end, MemoryObject* object);
  /// Takes [start, end) out; false where it is not there.
  bool Erase(std::uint64_t start, std::uint64_t end) noexcept;

  /// The object whose range holds `address`: of several the closest start, of one start the
  /// smallest range. Null where there is none.
  MemoryObject* Find(std::uint64_t address) const noexcept;
  /// The object of exactly [start, end), or null.
  MemoryObject* FindExact(std::uint64_t start, std::uint64_t end) const noexcept;
  /// Calls `visit(MemoryObject&)` for each range that starts there, smallest first.
  template <typename Visit>
  void ForEachAt(std::uint64_t start, Visit visit) const {
    for (Position at = After(start); Back(at) && StartAt(at) == start;) visit(*ObjectAt(at));
  }
  /// The object of some range, or null.
  MemoryObject* Any() const noexcept;

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

 private:
  struct Block;
  /// An entry's place; `entry` may be the block's count, as "behind its last".
  struct Position {
    std::size_t block;
    std::size_t entry;
  };

  Position After(std::uint64_t start) const noexcept;
  Position After(std::uint64_t start, std::uint64_t end) const noexcept;
  bool Back(Position& at) const noexcept;
  std::uint64_t StartAt(Position at) const noexcept;
  MemoryObject* ObjectAt(Position at) const noexcept;
  void MakeRoomForABlock();
  void AddBlock(std::size_t index, Block* block) noexcept;
  void Split(Position& at);
  void RemoveBlock(std::size_t index) noexcept;
  void MergeWithNext(std::size_t index) noexcept;
  void Refresh(std::size_t block, std::size_t from) noexcept;

  std::unique_ptr<Pool<Block>> pool_;
  // Index by index: a block, the start of its first range, the greatest end in it.
  std::vector<Block*> blocks_;
  std::vector<std::uint64_t> first_starts_;
  std::vector<std::uint64_t> furthest_ends_;
  GreatestTree furthest_;
  std::size_t size_ = 0;
};

}  // namespace kfdcts::thunk
