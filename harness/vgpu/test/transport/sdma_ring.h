#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>

#include "harness/vgpu/core/device.h"
#include "harness/vgpu/test/transport/vfio_client.h"

namespace kfdcts::vgpu {

/// The device's VRAM as a guest maps it.
class MappedVram {
 public:
  explicit MappedVram(const Device& device);
  ~MappedVram();
  MappedVram(const MappedVram&) = delete;
  MappedVram& operator=(const MappedVram&) = delete;

  std::byte* at(std::uint64_t offset) { return data_ + offset; }
  std::uint32_t Load(std::uint64_t offset) const;
  void Store(std::uint64_t offset, std::uint32_t value);

 private:
  std::uint64_t bytes_;
  std::byte* data_;
};

/// The driver's ring of SDMA engine 0, set up and used through a client as the driver does: ring,
/// fence and data in VRAM, doorbells and registers by message.
class SdmaRing {
 public:
  // Offsets in VRAM.
  static constexpr std::uint64_t kRingAt = 0x10000, kReportAt = 0x20000, kFenceAt = 0x20040,
                                 kScratchAt = 0x20080;
  static constexpr std::uint64_t kDataAt = 0x100000;  ///< Free for the user from here on.

  SdmaRing(VfioClient& client, MappedVram& vram);

  void Fence(std::uint32_t value);
  /// Stops the queue until the dword at a VRAM offset is `value`.
  void WaitForMemory(std::uint64_t offset, std::uint32_t value);
  /// Any length; VRAM offsets.
  void Copy(std::uint64_t source, std::uint64_t destination, std::uint64_t bytes);

  bool HasRoom() const;  ///< For one of the packets above, or a copy of up to 64 MiB.
  void Kick();

  std::uint32_t fence() const { return vram_.Load(kFenceAt); }
  /// Spins, as a client that measures does. False where the fence does not come within a minute.
  [[nodiscard]] bool WaitForFence(std::uint32_t value) const;

 private:
  static constexpr unsigned kSizeField = 14;  // log2 of the ring's dwords
  static constexpr std::uint64_t kDwords = 1 << kSizeField;

  void Emit(std::initializer_list<std::uint32_t> packet);
  void WriteQueueRegister(std::uint32_t offset, std::uint32_t value);

  VfioClient& client_;
  MappedVram& vram_;
  std::uint64_t wptr_ = 0, kicked_ = 0;
};

}  // namespace kfdcts::vgpu
