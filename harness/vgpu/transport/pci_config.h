#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace kfdcts::vgpu {

/// What makes the card's PCI configuration space. Sizes are powers of two; no ROM where rom_bytes
/// is zero.
struct PciIdentity {
  std::uint16_t device_id;
  std::uint64_t vram_bytes;      ///< BAR 0, 64-bit, prefetchable
  std::uint64_t doorbell_bytes;  ///< BAR 2, 64-bit, prefetchable
  std::uint32_t register_bytes;  ///< BAR 5, 32-bit
  std::uint32_t rom_bytes;
};

/// PCI configuration space of the card, 4 KiB: header, power management, PCI Express endpoint and
/// MSI capability, and the vendor's extended capability by which the driver finds out that extended
/// configuration space works. Reads and writes are of any length inside it; read-only bits keep
/// their value. Not thread-safe.
class PciConfig {
 public:
  static constexpr std::size_t kBytes = 4096;
  static constexpr std::uint16_t kVendor = 0x1002;
  static constexpr std::uint16_t kSubsystem = 0x6b76;

  static constexpr std::uint8_t kPowerManagementAt = 0x50;
  static constexpr std::uint8_t kExpressAt = 0x64;
  static constexpr std::uint8_t kMsiAt = 0xa0;
  static constexpr std::uint16_t kVendorExtendedAt = 0x100;

  explicit PciConfig(const PciIdentity& identity);

  /// The caller has checked that offset + size is inside.
  void Read(std::size_t offset, std::span<std::byte> out) const;
  void Write(std::size_t offset, std::span<const std::byte> data);

  /// As after power-on.
  void Reset() { value_ = initial_; }

 private:
  using Bytes = std::array<std::uint8_t, kBytes>;

  void Put(std::size_t offset, unsigned bytes, std::uint32_t value, std::uint32_t writable = 0,
           std::uint32_t write_one_to_clear = 0);
  void PutBar64(std::size_t offset, std::uint64_t bytes);
  void PutHeader(const PciIdentity& identity);
  void PutPowerManagement();
  void PutExpress();
  void PutMsi();
  void PutVendorExtended();

  Bytes value_ = {}, initial_ = {}, writable_ = {}, write_one_to_clear_ = {};
};

}  // namespace kfdcts::vgpu
