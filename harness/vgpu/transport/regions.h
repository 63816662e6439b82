#pragma once

#include <linux/vfio.h>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>

#include "harness/vgpu/core/device.h"
#include "harness/vgpu/transport/pci_config.h"

namespace kfdcts::vgpu {

class TraceLog;

/// The device's regions (VFIO_PCI_*_REGION_INDEX) as a client sees them: BARs, option ROM,
/// configuration space. Cuts an access of any offset and length into the aligned ones that the
/// device takes. Used by one thread.
class Regions {
 public:
  static constexpr std::uint32_t kCount = VFIO_PCI_NUM_REGIONS;

  /// `access_first` is held around each call of the device (see EngineThread). `trace` may be null.
  Regions(Device& device, PciConfig& config, std::mutex& access_first, TraceLog* trace);

  /// Size 0 for a region that the card does not have. `index` below kCount.
  std::uint64_t Size(std::uint32_t index) const;
  std::uint32_t Flags(std::uint32_t index) const;
  /// The memory behind a region with VFIO_REGION_INFO_FLAG_MMAP; else -1. Not owned by the caller.
  int Fd(std::uint32_t index) const;

  /// EINVAL where the range leaves the region or the region cannot be accessed that way; else 0.
  int Read(std::uint32_t index, std::uint64_t offset, std::span<std::byte> out);
  int Write(std::uint32_t index, std::uint64_t offset, std::span<const std::byte> data);

  std::uint64_t reads(std::uint32_t index) const { return reads_[index]; }
  std::uint64_t writes(std::uint32_t index) const { return writes_[index]; }

 private:
  bool IsInside(std::uint32_t index, std::uint64_t offset, std::size_t size) const;

  Device& device_;
  PciConfig& config_;
  std::mutex& access_first_;
  TraceLog* trace_;
  std::uint64_t reads_[kCount] = {}, writes_[kCount] = {};
};

}  // namespace kfdcts::vgpu
