#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#include "thunk/src/kernel/system_calls.h"

namespace kfdcts::thunk {

/// Room for many objects of one type, close together: chunks that double up to a huge page each, so
/// that a look-up among a million objects touches few pages. Chunks live as long as the pool. Not
/// synchronised; whoever makes an object deletes it before the pool goes.
template <typename T>
class Pool {
 public:
  /// With `calls` the kernel is asked for huge pages where chunks are as large.
  explicit Pool(SystemCalls* calls = nullptr) : calls_(calls) {}
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  /// A new T; std::bad_alloc.
  T* New() {
    if (free_ == nullptr) AddChunk();
    Slot* const slot = free_;
    Slot* const rest = slot->next;
    T* const made = new (slot->room) T;
    free_ = rest;
    return made;
  }

  void Delete(T* object) noexcept {
    object->~T();
    auto* const slot = new (static_cast<void*>(object)) Slot;
    slot->next = free_;
    free_ = slot;
  }

 private:
  union Slot {
    Slot* next;
    alignas(T) std::byte room[sizeof(T)];
  };
  struct Free {
    void operator()(void* chunk) const { std::free(chunk); }
  };

  static constexpr std::size_t kFirstBytes = std::size_t{16} << 10U;
  static constexpr std::size_t kHugePage = std::size_t{2} << 20U;

  void AddChunk() {
    const std::size_t bytes = std::min(kFirstBytes << chunks_.size(), kHugePage);
    chunks_.reserve(chunks_.size() + 1);
    void* const chunk = std::aligned_alloc(bytes, bytes);
    if (chunk == nullptr) throw std::bad_alloc();
    chunks_.emplace_back(chunk);
    // Only advice: what comes of it does not matter here.
    if (calls_ != nullptr && bytes == kHugePage) calls_->Madvise(chunk, bytes, MADV_HUGEPAGE);
    auto* const slots = static_cast<Slot*>(chunk);
    for (std::size_t i = bytes / sizeof(Slot); i > 0; --i) {
      Slot* const slot = new (&slots[i - 1]) Slot;
      slot->next = free_;
      free_ = slot;
    }
  }

  SystemCalls* calls_;
  std::vector<std::unique_ptr<void, Free>> chunks_;
  Slot* free_ = nullptr;
};

}  // namespace kfdcts::thunk
