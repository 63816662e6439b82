// Reads the image the way the driver does: by following offsets from fixed places.
#include "harness/vgpu/boot/vbios.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <string>
#include <type_traits>

#include "harness/vgpu/boot/vbios_layout.h"

namespace kfdcts::vgpu::boot {
namespace {

class VbiosTest : public testing::Test {
 protected:
  template <typename T>
  T At(std::size_t offset) const {
    T value;
    EXPECT_LE(offset + sizeof(T), rom_.size());
    std::memcpy(&value, rom_.data() + offset, sizeof(T));
    return value;
  }
  std::string TextAt(std::size_t offset) const {
    return reinterpret_cast<const char*>(rom_.data() + offset);
  }
  std::uint16_t DataTable(unsigned index) const {
    const auto header = At<AtomRomHeader>(At<std::uint16_t>(0x48));
    return At<std::uint16_t>(header.master_data_table_offset + 4U + 2U * index);
  }

  std::vector<std::byte> rom_ = MakeVbios(kVega10Board);
};

TEST_F(VbiosTest, IsAnOptionRomWhoseBytesAddUpToZero) {
  EXPECT_EQ(At<std::uint16_t>(0), 0xaa55);
  EXPECT_EQ(At<std::uint8_t>(2) * 512U, rom_.size());
  unsigned sum = 0;
  for (const std::byte value : rom_) {
    sum += std::to_integer<unsigned>(value);
  }
  EXPECT_EQ(sum % 256, 0U);
}

TEST_F(VbiosTest, PciDataNamesTheCard) {
  const auto pci = At<PciDataStructure>(At<std::uint16_t>(0x18));
  EXPECT_EQ(std::string(pci.signature, 4), "PCIR");
  EXPECT_EQ(pci.vendor_id, 0x1002);
  EXPECT_EQ(pci.device_id, 0x6863);
  EXPECT_EQ(pci.image_size_in_512_bytes * 512U, rom_.size());
  EXPECT_EQ(pci.indicator, 0x80);
}

TEST_F(VbiosTest, HasTheSignaturesTheDriverChecks) {
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(rom_.data() + 0x30), 10), " 761295520");
  const auto header = At<AtomRomHeader>(At<std::uint16_t>(0x48));
  EXPECT_EQ(std::string(header.atom_string, 4), "ATOM");
}

TEST_F(VbiosTest, NamePartNumberAndDateAreWhereTheDriverLooks) {
  const std::uint16_t strings = At<std::uint16_t>(0x6e);
  EXPECT_EQ(TextAt(strings), kVega10Board.part_number);
  EXPECT_EQ(At<std::uint8_t>(0x2f), 1);
  const std::size_t name = strings + kVega10Board.part_number.size() + 1 + 2;
  EXPECT_EQ(TextAt(name), kVega10Board.name);
  EXPECT_EQ(TextAt(0x50).substr(0, 8), "01/01/26");
}

TEST_F(VbiosTest, FirmwareInfoGivesClocksAndScratchRegisters) {
  const auto info = At<AtomFirmwareInfo>(DataTable(kAtomDataFirmwareInfo));
  EXPECT_EQ(info.header.structure_size, sizeof(AtomFirmwareInfo));
  EXPECT_EQ(info.header.format_revision, 3);
  EXPECT_EQ(info.bootup_sclk_in10khz, 85'200U);
  EXPECT_EQ(info.bootup_mclk_in10khz, 94'500U);
  EXPECT_EQ(info.bios_scratch_reg_startaddr, kVega10Board.bios_scratch_dword);
}

TEST_F(VbiosTest, ReferenceClockIsTheCountersRate) {
  const auto info = At<AtomSmuInfo>(DataTable(kAtomDataSmuInfo));
  EXPECT_EQ(info.header.format_revision, 3);
  EXPECT_EQ(info.core_refclk_10khz, 10'000U);
}

TEST_F(VbiosTest, MemoryIsHbm2Of2048Bits) {
  const auto info = At<AtomVramInfo>(DataTable(kAtomDataVramInfo));
  EXPECT_EQ(info.header.content_revision, 3);
  EXPECT_EQ(info.module.memory_type, 0x60);
  EXPECT_EQ(info.module.channel_num * (1U << info.module.channel_width), 2048U);
}

TEST_F(VbiosTest, IndirectIoTableIsEmpty) {
  const std::uint16_t table = DataTable(kAtomDataIndirectIoAccess);
  EXPECT_NE(At<std::uint8_t>(table + 4U), 1) << "1 would start an access method";
}

TEST_F(VbiosTest, AsicInitEndsAtOnce) {
  const auto header = At<AtomRomHeader>(At<std::uint16_t>(0x48));
  const auto table = At<std::uint16_t>(header.master_function_offset + 4U);
  EXPECT_EQ(At<AtomEmptyFunction>(table).end_of_table, 91);
}

}  // namespace
}  // namespace kfdcts::vgpu::boot
