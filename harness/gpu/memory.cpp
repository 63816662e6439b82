#include "harness/gpu/memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "harness/gpu/error.h"

namespace kfdcts::gpu {

HostMemory::HostMemory(Kind kind, std::uint64_t bytes)
    : bytes_((bytes + kPageBytes - 1) / kPageBytes * kPageBytes) {
  const std::uint64_t alignment = bytes_ >= kHugePageBytes ? kHugePageBytes : kPageBytes;
  const bool reserved = kind == Kind::kReserved;
  const std::uint64_t room = bytes_ + alignment - kPageBytes;
  void* map = mmap(nullptr, room, reserved ? PROT_NONE : PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | (reserved ? MAP_NORESERVE : 0), -1, 0);
  if (map == MAP_FAILED) throw GpuError(errno, "mmap of " + std::to_string(bytes_) + " bytes");
  std::byte* const start = static_cast<std::byte*>(map);
  const std::uint64_t before =
      (alignment - reinterpret_cast<std::uint64_t>(start) % alignment) % alignment;
  if (before > 0) munmap(start, before);
  const std::uint64_t behind = room - before - bytes_;
  if (behind > 0) munmap(start + before + bytes_, behind);
  data_ = start + before;
}

HostMemory::HostMemory(HostMemory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

HostMemory& HostMemory::operator=(HostMemory&& other) noexcept {
  if (this != &other) {
    Unmap();
    data_ = std::exchange(other.data_, nullptr);
    bytes_ = std::exchange(other.bytes_, 0);
  }
  return *this;
}

HostMemory::~HostMemory() { Unmap(); }

void HostMemory::Unmap() {
  if (data_ != nullptr) munmap(data_, bytes_);
}

std::uint32_t PatternWord(std::size_t offset, std::uint32_t seed) {
  return (static_cast<std::uint32_t>(offset / 4) + 1) * 2654435761U ^
         (seed * 0x9e3779b9U + 0x7f4a7c15U);
}

void FillPattern(std::span<std::byte> memory, std::uint32_t seed) {
  std::array<std::uint32_t, kPageBytes / 4> page;
  for (std::size_t offset = 0; offset < memory.size(); offset += kPageBytes) {
    for (std::size_t i = 0; i < page.size(); ++i) page[i] = PatternWord(offset + i * 4, seed);
    std::memcpy(memory.data() + offset, page.data(),
                std::min<std::size_t>(kPageBytes, memory.size() - offset));
  }
}

std::size_t FirstMismatch(std::span<const std::byte> memory, std::uint32_t seed) {
  std::array<std::uint32_t, kPageBytes / 4> page;
  for (std::size_t offset = 0; offset < memory.size(); offset += kPageBytes) {
    for (std::size_t i = 0; i < page.size(); ++i) page[i] = PatternWord(offset + i * 4, seed);
    const auto expected = std::as_bytes(std::span(page))
                              .first(std::min<std::size_t>(kPageBytes, memory.size() - offset));
    if (std::memcmp(memory.data() + offset, expected.data(), expected.size()) == 0) continue;
    const auto difference = std::mismatch(expected.begin(), expected.end(),
                                          memory.begin() + static_cast<std::ptrdiff_t>(offset));
    return offset + static_cast<std::size_t>(difference.first - expected.begin());
  }
  return memory.size();
}

}  // namespace kfdcts::gpu
