#include "harness/vgpu/transport/pci_config.h"

#include <linux/pci_regs.h>

#include <cstring>

namespace kfdcts::vgpu {
namespace {

constexpr std::uint32_t kClassDisplayOther = 0x038000;
constexpr std::uint32_t kCommandWritable = PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER |
                                           PCI_COMMAND_PARITY | PCI_COMMAND_SERR |
                                           PCI_COMMAND_INTX_DISABLE;
constexpr std::uint32_t kStatusErrors = 0xf900;

// Eight gigatransfers on sixteen lanes, as the real card.
constexpr std::uint32_t kLinkSpeed8Gt = 3;
constexpr std::uint32_t kLink = kLinkSpeed8Gt | 16U << 4;

}  // namespace

PciConfig::PciConfig(const PciIdentity& identity) {
  PutHeader(identity);
  PutPowerManagement();
  PutExpress();
  PutMsi();
  PutVendorExtended();
  initial_ = value_;
}

void PciConfig::Put(std::size_t offset, unsigned bytes, std::uint32_t value, std::uint32_t writable,
                    std::uint32_t write_one_to_clear) {
  std::memcpy(&value_[offset], &value, bytes);
  std::memcpy(&writable_[offset], &writable, bytes);
  std::memcpy(&write_one_to_clear_[offset], &write_one_to_clear, bytes);
}

void PciConfig::PutBar64(std::size_t offset, std::uint64_t bytes) {
  const std::uint64_t mask = ~(bytes - 1);
  Put(offset, 4, PCI_BASE_ADDRESS_MEM_TYPE_64 | PCI_BASE_ADDRESS_MEM_PREFETCH,
      static_cast<std::uint32_t>(mask));
  Put(offset + 4, 4, 0, static_cast<std::uint32_t>(mask >> 32));
}

void PciConfig::PutHeader(const PciIdentity& identity) {
  Put(PCI_VENDOR_ID, 2, kVendor);
  Put(PCI_DEVICE_ID, 2, identity.device_id);
  Put(PCI_COMMAND, 2, 0, kCommandWritable);
  Put(PCI_STATUS, 2, PCI_STATUS_CAP_LIST, 0, kStatusErrors);
  Put(PCI_CLASS_REVISION, 4, kClassDisplayOther << 8);
  Put(PCI_CACHE_LINE_SIZE, 1, 0, 0xff);
  PutBar64(PCI_BASE_ADDRESS_0, identity.vram_bytes);
  PutBar64(PCI_BASE_ADDRESS_2, identity.doorbell_bytes);
  Put(PCI_BASE_ADDRESS_5, 4, 0, ~(identity.register_bytes - 1));
  Put(PCI_SUBSYSTEM_VENDOR_ID, 2, kVendor);
  Put(PCI_SUBSYSTEM_ID, 2, kSubsystem);
  if (identity.rom_bytes != 0) {
    Put(PCI_ROM_ADDRESS, 4, 0, ~(identity.rom_bytes - 1) | PCI_ROM_ADDRESS_ENABLE);
  }
  Put(PCI_CAPABILITY_LIST, 1, kPowerManagementAt);
  Put(PCI_INTERRUPT_LINE, 1, 0, 0xff);
}

void PciConfig::PutPowerManagement() {
  constexpr std::uint32_t kVersion = 3;
  Put(kPowerManagementAt, 1, PCI_CAP_ID_PM);
  Put(kPowerManagementAt + 1, 1, kExpressAt);
  Put(kPowerManagementAt + PCI_PM_PMC, 2, kVersion);
  Put(kPowerManagementAt + PCI_PM_CTRL, 2, PCI_PM_CTRL_NO_SOFT_RESET, PCI_PM_CTRL_STATE_MASK);
}

void PciConfig::PutExpress() {
  constexpr std::uint32_t kVersion = 2;
  constexpr std::uint32_t kPayload256 = 1;
  constexpr std::uint32_t kSpeedsTo8Gt =
      PCI_EXP_LNKCAP2_SLS_2_5GB | PCI_EXP_LNKCAP2_SLS_5_0GB | PCI_EXP_LNKCAP2_SLS_8_0GB;
  const auto at = [](unsigned field) { return std::size_t{kExpressAt} + field; };
  Put(at(0), 1, PCI_CAP_ID_EXP);
  Put(at(1), 1, kMsiAt);
  Put(at(PCI_EXP_FLAGS), 2, kVersion | PCI_EXP_TYPE_ENDPOINT << 4);
  Put(at(PCI_EXP_DEVCAP), 4, kPayload256 | PCI_EXP_DEVCAP_EXT_TAG | PCI_EXP_DEVCAP_RBER);
  Put(at(PCI_EXP_DEVCTL), 2, 0, 0xffffU & ~std::uint32_t{PCI_EXP_DEVCTL_BCR_FLR});
  Put(at(PCI_EXP_DEVSTA), 2, 0, 0,
      PCI_EXP_DEVSTA_CED | PCI_EXP_DEVSTA_NFED | PCI_EXP_DEVSTA_FED | PCI_EXP_DEVSTA_URD);
  Put(at(PCI_EXP_LNKCAP), 4, kLink);
  Put(at(PCI_EXP_LNKCTL), 2, 0, PCI_EXP_LNKCTL_ASPMC | PCI_EXP_LNKCTL_RCB | PCI_EXP_LNKCTL_CCC);
  Put(at(PCI_EXP_LNKSTA), 2, kLink);
  Put(at(PCI_EXP_DEVCAP2), 4, PCI_EXP_DEVCAP2_ATOMIC_COMP32 | PCI_EXP_DEVCAP2_ATOMIC_COMP64);
  Put(at(PCI_EXP_DEVCTL2), 2, 0, PCI_EXP_DEVCTL2_ATOMIC_REQ | PCI_EXP_DEVCTL2_COMP_TIMEOUT);
  Put(at(PCI_EXP_LNKCAP2), 4, kSpeedsTo8Gt);
  Put(at(PCI_EXP_LNKCTL2), 2, kLinkSpeed8Gt, PCI_EXP_LNKCTL2_TLS);
}

void PciConfig::PutMsi() {
  Put(kMsiAt, 1, PCI_CAP_ID_MSI);
  Put(kMsiAt + 1, 1, 0);
  Put(kMsiAt + PCI_MSI_FLAGS, 2, PCI_MSI_FLAGS_64BIT, PCI_MSI_FLAGS_ENABLE);
  Put(kMsiAt + PCI_MSI_ADDRESS_LO, 4, 0, ~3U);
  Put(kMsiAt + PCI_MSI_ADDRESS_HI, 4, 0, ~0U);
  Put(kMsiAt + PCI_MSI_DATA_64, 2, 0, 0xffff);
}

void PciConfig::PutVendorExtended() {
  constexpr std::uint32_t kVersion = 1;
  constexpr std::uint32_t kVendorId = 1, kVendorRevision = 1, kVendorBytes = 16;
  Put(kVendorExtendedAt, 4, PCI_EXT_CAP_ID_VNDR | kVersion << 16);
  Put(kVendorExtendedAt + 4, 4, kVendorId | kVendorRevision << 16 | kVendorBytes << 20);
}

void PciConfig::Read(std::size_t offset, std::span<std::byte> out) const {
  std::memcpy(out.data(), value_.data() + offset, out.size());
}

void PciConfig::Write(std::size_t offset, std::span<const std::byte> data) {
  for (std::size_t i = 0; i < data.size(); ++i) {
    const std::size_t at = offset + i;
    const auto written = std::to_integer<unsigned>(data[i]);
    unsigned value = value_[at];
    value = (value & ~unsigned{writable_[at]}) | (written & writable_[at]);
    value &= ~(written & write_one_to_clear_[at]);
    value_[at] = static_cast<std::uint8_t>(value);
  }
}

}  // namespace kfdcts::vgpu
