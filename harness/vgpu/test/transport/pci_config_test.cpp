#include "harness/vgpu/transport/pci_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/pci_regs.h>

#include <cstring>
#include <vector>

namespace kfdcts::vgpu {
namespace {

constexpr PciIdentity kIdentity = {0x6863, 256ULL << 20, 2 << 20, 512 << 10, 4096};

class PciConfigTest : public testing::Test {
 protected:
  template <typename T = std::uint32_t>
  T Read(std::size_t offset) {
    T value = 0;
    config_.Read(offset, std::as_writable_bytes(std::span(&value, 1)));
    return value;
  }
  template <typename T>
  void Write(std::size_t offset, T value) {
    config_.Write(offset, std::as_bytes(std::span(&value, 1)));
  }
  /// What a register reads after all ones were written to it.
  std::uint32_t Probe(std::size_t offset) {
    Write(offset, 0xffffffffU);
    return Read(offset);
  }

  PciConfig config_{kIdentity};
};

TEST_F(PciConfigTest, IdentifiesTheCard) {
  EXPECT_EQ(Read(PCI_VENDOR_ID), 0x68631002U);
  EXPECT_EQ(Read(PCI_CLASS_REVISION), 0x03800000U);
  EXPECT_EQ(Read(PCI_SUBSYSTEM_VENDOR_ID), 0x6b761002U);
  EXPECT_EQ(Read<std::uint8_t>(PCI_HEADER_TYPE), 0);
}

TEST_F(PciConfigTest, IdentityIsReadOnly) {
  EXPECT_EQ(Probe(PCI_VENDOR_ID), 0x68631002U);
  EXPECT_EQ(Probe(PCI_CLASS_REVISION), 0x03800000U);
  EXPECT_EQ(Probe(PCI_SUBSYSTEM_VENDOR_ID), 0x6b761002U);
}

TEST_F(PciConfigTest, BarsTellTheirSizes) {
  EXPECT_EQ(Probe(PCI_BASE_ADDRESS_0), 0xf000000cU) << "256 MiB, 64-bit, prefetchable";
  EXPECT_EQ(Probe(PCI_BASE_ADDRESS_1), 0xffffffffU);
  EXPECT_EQ(Probe(PCI_BASE_ADDRESS_2), 0xffe0000cU) << "2 MiB, 64-bit, prefetchable";
  EXPECT_EQ(Probe(PCI_BASE_ADDRESS_3), 0xffffffffU);
  EXPECT_EQ(Probe(PCI_BASE_ADDRESS_4), 0U);
  EXPECT_EQ(Probe(PCI_BASE_ADDRESS_5), 0xfff80000U) << "512 KiB, 32-bit";
  EXPECT_EQ(Probe(PCI_ROM_ADDRESS), 0xfffff001U);
}

TEST_F(PciConfigTest, BarOfMoreThanFourGigabytes) {
  config_ = PciConfig({0x6863, 8ULL << 30, 2 << 20, 512 << 10, 0});
  EXPECT_EQ(Probe(PCI_BASE_ADDRESS_0), 0x0000000cU);
  EXPECT_EQ(Probe(PCI_BASE_ADDRESS_1), 0xfffffffeU);
  EXPECT_EQ(Probe(PCI_ROM_ADDRESS), 0U) << "no ROM";
}

TEST_F(PciConfigTest, CommandTakesOnlyItsBits) {
  Write<std::uint16_t>(PCI_COMMAND, 0xffff);
  EXPECT_EQ(Read<std::uint16_t>(PCI_COMMAND), 0x0546);
  Write<std::uint16_t>(PCI_STATUS, 0xffff);
  EXPECT_EQ(Read<std::uint16_t>(PCI_STATUS), PCI_STATUS_CAP_LIST);
}

TEST_F(PciConfigTest, CapabilitiesAreALinkedListWithAnEnd) {
  std::vector<unsigned> found;
  for (unsigned at = Read<std::uint8_t>(PCI_CAPABILITY_LIST); at != 0 && found.size() < 10;
       at = Read<std::uint8_t>(at + 1)) {
    found.push_back(Read<std::uint8_t>(at));
  }
  EXPECT_THAT(found, testing::ElementsAre(PCI_CAP_ID_PM, PCI_CAP_ID_EXP, PCI_CAP_ID_MSI));
}

TEST_F(PciConfigTest, MsiIsOneVectorOf64Bits) {
  Write<std::uint16_t>(PciConfig::kMsiAt + PCI_MSI_FLAGS, 0xffff);
  EXPECT_EQ(Read<std::uint16_t>(PciConfig::kMsiAt + PCI_MSI_FLAGS),
            PCI_MSI_FLAGS_64BIT | PCI_MSI_FLAGS_ENABLE);
  EXPECT_EQ(Probe(PciConfig::kMsiAt + PCI_MSI_ADDRESS_LO), 0xfffffffcU);
  EXPECT_EQ(Probe(PciConfig::kMsiAt + PCI_MSI_DATA_64) & 0xffff, 0xffffU);
}

TEST_F(PciConfigTest, ExpressCapabilityIsAnEndpoints) {
  const auto flags = Read<std::uint16_t>(PciConfig::kExpressAt + PCI_EXP_FLAGS);
  EXPECT_EQ(flags & PCI_EXP_FLAGS_VERS, 2);
  EXPECT_EQ((flags & PCI_EXP_FLAGS_TYPE) >> 4, PCI_EXP_TYPE_ENDPOINT);
  EXPECT_EQ(Read(PciConfig::kExpressAt + PCI_EXP_LNKCAP) & PCI_EXP_LNKCAP_SLS, 3U);
}

TEST_F(PciConfigTest, WritesOfOddLengthCrossRegisters) {
  const std::byte data[7] = {std::byte{0x02}, std::byte{0x00}, std::byte{0xff}, std::byte{0xff},
                             std::byte{0xff}, std::byte{0xff}, std::byte{0xff}};
  config_.Write(PCI_COMMAND, data);
  EXPECT_EQ(Read<std::uint16_t>(PCI_COMMAND), PCI_COMMAND_MEMORY);
  EXPECT_EQ(Read<std::uint16_t>(PCI_STATUS), PCI_STATUS_CAP_LIST);
  EXPECT_EQ(Read(PCI_CLASS_REVISION), 0x03800000U);
}

TEST_F(PciConfigTest, ResetIsAsAfterPowerOn) {
  Write(PCI_BASE_ADDRESS_5, 0xfe000000U);
  Write<std::uint16_t>(PCI_COMMAND, PCI_COMMAND_MEMORY);
  config_.Reset();
  EXPECT_EQ(Read(PCI_BASE_ADDRESS_5), 0U);
  EXPECT_EQ(Read<std::uint16_t>(PCI_COMMAND), 0);
  EXPECT_EQ(Read(PCI_VENDOR_ID), 0x68631002U);
}

TEST_F(PciConfigTest, OneExtendedCapabilityTheVendors) {
  const std::uint32_t header = Probe(PCI_CFG_SPACE_SIZE);
  EXPECT_EQ(PCI_EXT_CAP_ID(header), static_cast<unsigned>(PCI_EXT_CAP_ID_VNDR));
  EXPECT_EQ(PCI_EXT_CAP_NEXT(header), 0U);
}

}  // namespace
}  // namespace kfdcts::vgpu
