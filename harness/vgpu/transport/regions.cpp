#include "harness/vgpu/transport/regions.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <optional>

#include "harness/vgpu/core/register_file.h"
#include "harness/vgpu/transport/trace_log.h"

namespace kfdcts::vgpu {
namespace {

std::optional<Device::Bar> BarOf(std::uint32_t index) {
  switch (index) {
    case VFIO_PCI_BAR0_REGION_INDEX:
      return Device::Bar::kVram;
    case VFIO_PCI_BAR2_REGION_INDEX:
      return Device::Bar::kDoorbell;
    case VFIO_PCI_BAR5_REGION_INDEX:
      return Device::Bar::kRegisters;
    default:
      return std::nullopt;
  }
}

/// Calls `access` for the fewest naturally aligned pieces of at most `widest` bytes.
template <typename Bytes, typename Access>
void ForEachAligned(std::uint64_t offset, Bytes bytes, std::size_t widest, Access access) {
  while (!bytes.empty()) {
    const std::uint64_t alignment = offset == 0 ? widest : offset & (~offset + 1);
    const std::size_t piece =
        std::min({static_cast<std::size_t>(std::min<std::uint64_t>(alignment, widest)),
                  std::bit_floor(bytes.size())});
    access(offset, bytes.first(piece));
    offset += piece;
    bytes = bytes.subspan(piece);
  }
}

std::size_t WidestAccess(Device::Bar bar) { return bar == Device::Bar::kRegisters ? 4 : 8; }

}  // namespace

Regions::Regions(Device& device, PciConfig& config, std::mutex& access_first, TraceLog* trace)
    : device_(device), config_(config), access_first_(access_first), trace_(trace) {}

std::uint64_t Regions::Size(std::uint32_t index) const {
  switch (index) {
    case VFIO_PCI_BAR0_REGION_INDEX:
      return device_.vram_bytes();
    case VFIO_PCI_BAR2_REGION_INDEX:
      return Device::kDoorbellBytes;
    case VFIO_PCI_BAR5_REGION_INDEX:
      return RegisterFile::kMmioBytes;
    case VFIO_PCI_ROM_REGION_INDEX:
      return device_.vbios().size();
    case VFIO_PCI_CONFIG_REGION_INDEX:
      return PciConfig::kBytes;
    default:
      return 0;
  }
}

std::uint32_t Regions::Flags(std::uint32_t index) const {
  if (Size(index) == 0) {
    return 0;
  }
  switch (index) {
    case VFIO_PCI_BAR0_REGION_INDEX:
      return VFIO_REGION_INFO_FLAG_READ | VFIO_REGION_INFO_FLAG_WRITE | VFIO_REGION_INFO_FLAG_MMAP;
    case VFIO_PCI_ROM_REGION_INDEX:
      return VFIO_REGION_INFO_FLAG_READ;
    default:
      return VFIO_REGION_INFO_FLAG_READ | VFIO_REGION_INFO_FLAG_WRITE;
  }
}

int Regions::Fd(std::uint32_t index) const {
  return index == VFIO_PCI_BAR0_REGION_INDEX ? device_.vram_fd() : -1;
}

bool Regions::IsInside(std::uint32_t index, std::uint64_t offset, std::size_t size) const {
  if (index >= kCount) {
    return false;
  }
  const std::uint64_t bytes = Size(index);
  return offset <= bytes && size <= bytes - offset;
}

int Regions::Read(std::uint32_t index, std::uint64_t offset, std::span<std::byte> out) {
  if (!IsInside(index, offset, out.size())) {
    return EINVAL;
  }
  ++reads_[index];
  if (index == VFIO_PCI_CONFIG_REGION_INDEX) {
    config_.Read(offset, out);
  } else if (index == VFIO_PCI_ROM_REGION_INDEX) {
    std::memcpy(out.data(), device_.vbios().data() + offset, out.size());
  } else if (const auto bar = BarOf(index)) {
    const std::scoped_lock turn(access_first_);
    ForEachAligned(
        offset, out, WidestAccess(*bar),
        [&](std::uint64_t at, std::span<std::byte> piece) { device_.Read(*bar, at, piece); });
  }
  if (trace_ != nullptr) {
    trace_->Access('R', index, offset, out);
  }
  return 0;
}

int Regions::Write(std::uint32_t index, std::uint64_t offset, std::span<const std::byte> data) {
  if (!IsInside(index, offset, data.size()) || (Flags(index) & VFIO_REGION_INFO_FLAG_WRITE) == 0) {
    return EINVAL;
  }
  ++writes_[index];
  if (trace_ != nullptr) {
    trace_->Access('W', index, offset, data);
  }
  if (index == VFIO_PCI_CONFIG_REGION_INDEX) {
    config_.Write(offset, data);
  } else if (const auto bar = BarOf(index)) {
    const std::scoped_lock turn(access_first_);
    ForEachAligned(offset, data, WidestAccess(*bar),
                   [&](std::uint64_t at, std::span<const std::byte> piece) {
                     device_.Write(*bar, at, piece);
                   });
  }
  return 0;
}

}  // namespace kfdcts::vgpu
