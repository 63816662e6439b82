#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace kfdcts::gpu {

inline constexpr std::uint64_t kPageBytes = 4096;
inline constexpr std::uint64_t kHugePageBytes = 2 * 1024 * 1024;

/// Address space of this process, reserved or backed by anonymous memory. Aligned to 2 MiB from
/// that size on, else to a page. Unmapped at the end.
class HostMemory {
 public:
  enum class Kind {
    kReserved,   ///< No access: room for something else to be mapped over.
    kAnonymous,  ///< Private, zeroed when first touched.
  };

  HostMemory() = default;
  /// Throws GpuError.
  HostMemory(Kind kind, std::uint64_t bytes);
  HostMemory(HostMemory&& other) noexcept;
  HostMemory& operator=(HostMemory&& other) noexcept;
  ~HostMemory();

  std::byte* data() const { return data_; }
  std::uint64_t address() const { return reinterpret_cast<std::uint64_t>(data_); }
  std::uint64_t bytes() const { return bytes_; }
  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(data_);
  }
  std::span<std::byte> span() const { return {data_, bytes_}; }

  /// Leaves it mapped to the process's end.
  void Abandon() { data_ = nullptr; }

 private:
  void Unmap();

  std::byte* data_ = nullptr;
  std::uint64_t bytes_ = 0;
};

/// Fills with a pattern in which every 32-bit word differs from its neighbours and from those of
/// another seed.
void FillPattern(std::span<std::byte> memory, std::uint32_t seed);

/// Offset of the first byte that is not as FillPattern with `seed` left it; memory.size() where all
/// are.
std::size_t FirstMismatch(std::span<const std::byte> memory, std::uint32_t seed);

/// The pattern's 32-bit word at byte offset `offset` (a multiple of four).
std::uint32_t PatternWord(std::size_t offset, std::uint32_t seed);

}  // namespace kfdcts::gpu
