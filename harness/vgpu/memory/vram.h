#pragma once

#include <cstddef>
#include <cstdint>

namespace kfdcts::vgpu {

/// The card's memory: a sealed memfd, so that BAR0 can be mapped by the guest directly. Owns fd and
/// mapping. Throws std::system_error where the memory cannot be had, std::invalid_argument for a
/// size that no BAR can have.
class Vram {
 public:
  explicit Vram(std::uint64_t bytes);  ///< A power of two, at least 1 MiB (a BAR).
  ~Vram();
  Vram(const Vram&) = delete;
  Vram& operator=(const Vram&) = delete;

  std::uint64_t bytes() const { return bytes_; }
  int fd() const { return fd_; }

  /// Null where [offset, offset + size) leaves VRAM.
  std::byte* At(std::uint64_t offset, std::uint64_t size);

 private:
  std::uint64_t bytes_;
  int fd_;
  std::byte* data_;
};

}  // namespace kfdcts::vgpu
