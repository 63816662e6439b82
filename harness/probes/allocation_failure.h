#pragma once

#include <cstdint>

namespace kfdcts::harness {

/// Counts, and makes fail, the heap allocations (malloc, calloc, realloc, memalign and what is
/// built on them, operator new too) of the calling thread while it lives. Put nothing but the call
/// under test between construction and Disarm(). Not nested.
class AllocationFailure {
 public:
  /// The `nth` allocation from now on returns null with ENOMEM (1: the next); 0: none, only count.
  explicit AllocationFailure(std::uint64_t nth);
  ~AllocationFailure();
  AllocationFailure(const AllocationFailure&) = delete;
  AllocationFailure& operator=(const AllocationFailure&) = delete;

  void Disarm();

  std::uint64_t Count() const;  ///< Allocations seen, the failed one included.
  bool Struck() const;          ///< Whether the nth came.

  /// Sanitizers bring an allocator of their own, where this cannot work.
  static bool Available();
};

}  // namespace kfdcts::harness
