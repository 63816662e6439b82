#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "harness/test_support/gpu_node.h"
#include "harness/thunk/thunk.h"

namespace kfdcts::harness {

/// Throws std::runtime_error with the call and the status unless that is success.
void RequireSuccess(HSAKMT_STATUS status, std::string_view call);

/// System memory that the driver allocates (GTT), zeroed, mapped on one GPU and for the CPU. Given
/// back at the end. Refers to the thunk's table.
class ThunkMemory {
 public:
  /// `bytes` is rounded up to pages. Throws std::runtime_error.
  ThunkMemory(const ThunkApi& thunk, const GpuNode& gpu, std::size_t bytes);
  ~ThunkMemory();
  ThunkMemory(const ThunkMemory&) = delete;
  ThunkMemory& operator=(const ThunkMemory&) = delete;

  std::byte* data() const { return static_cast<std::byte*>(start_); }
  std::uint64_t address() const { return reinterpret_cast<std::uint64_t>(start_); }
  std::size_t bytes() const { return bytes_; }
  template <class T>
  T* as() const {
    return static_cast<T*>(start_);
  }

 private:
  const ThunkApi& thunk_;
  void* start_ = nullptr;
  std::size_t bytes_;
};

}  // namespace kfdcts::harness
