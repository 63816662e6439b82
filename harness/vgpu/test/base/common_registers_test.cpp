#include "harness/vgpu/core/common_registers.h"

#include <gtest/gtest.h>

#include <array>

#include "harness/vgpu/test/support/memory_rig.h"

namespace kfdcts::vgpu {
namespace {

struct Common : testing::Test, MemoryRig {
  std::array<std::byte, 10> vbios{std::byte{0x55}, std::byte{0xaa}, std::byte{1}, std::byte{2},
                                  std::byte{3},    std::byte{4},    std::byte{5}, std::byte{6},
                                  std::byte{7},    std::byte{8}};
  CommonRegisters common{chip, registers, vram, host, diagnostics, vbios};

  std::uint32_t ReadIndexed(std::uint32_t index, std::uint32_t high = 0) {
    registers.Write(chip.mm_index, index);
    registers.Write(chip.mm_index_hi, high);
    return registers.Read(chip.mm_data);
  }
};

TEST_F(Common, SizeAndPlaceOfVram) {
  EXPECT_EQ(registers.Read(chip.config_memsize), 16U);
  for (const auto* hub : {&chip.gfx_hub, &chip.mm_hub}) {
    EXPECT_EQ(registers.Read(hub->fb_location_base), 0xf400U);
    EXPECT_EQ(registers.Read(hub->fb_location_top), 0xf400U);
    registers.Write(hub->fb_location_base, 1);
    EXPECT_EQ(registers.Read(hub->fb_location_base), 0xf400U);
  }
}

TEST_F(Common, ResetMarksPostedAndBootLoaderDone) {
  registers.Clear();
  EXPECT_EQ(registers.Read(chip.bios_scratch_0 + 7 * 4), 0U);
  common.Reset();
  EXPECT_EQ(registers.Read(chip.bios_scratch_0 + 7 * 4), 0x200U);
  EXPECT_EQ(registers.Read(chip.mp0_c2pmsg_33), 0x8000'0000U);
  EXPECT_GT(registers.Read(chip.gfx_hub.agp_bot), registers.Read(chip.gfx_hub.agp_top));
  EXPECT_GT(registers.Read(chip.mm_hub.agp_bot), registers.Read(chip.mm_hub.agp_top));
}

TEST_F(Common, MmIndexReachesVram) {
  StoreVram<std::uint32_t>(0x1000, 0xbeef);
  EXPECT_EQ(ReadIndexed(0x8000'1000), 0xbeefU);
  registers.Write(chip.mm_data, 0xfeed);
  EXPECT_EQ(LoadVram<std::uint32_t>(0x1000), 0xfeedU);
  EXPECT_NE(ReadIndexed(0x8000'0000 | (kVramBytes - 4)), 0xffff'ffffU);
}

TEST_F(Common, MmIndexBeyondVramIsRefused) {
  EXPECT_EQ(ReadIndexed(0x8000'0000 | kVramBytes), 0xffff'ffffU);
  EXPECT_EQ(ReadIndexed(0x8000'0000, 1), 0xffff'ffffU);
  EXPECT_EQ(ReadIndexed(0xffff'ffff, 0xffff'ffff), 0xffff'ffffU);
  registers.Write(chip.mm_data, 1);
  EXPECT_EQ(diagnostics.Of(Diagnostics::Kind::kOutOfRange, "MM_INDEX outside VRAM"), 4U);
}

TEST_F(Common, MmIndexReachesRegisters) {
  registers.Set(chip.scratch_reg0, 0x1234);
  EXPECT_EQ(ReadIndexed(chip.scratch_reg0), 0x1234U);
  registers.Write(chip.mm_data, 0x5678);
  EXPECT_EQ(registers.Get(chip.scratch_reg0), 0x5678U);
}

TEST_F(Common, MmIndexThatPointsAtItsOwnDataEnds) {
  ReadIndexed(chip.mm_data);
  registers.Write(chip.mm_data, 1);
  EXPECT_EQ(ReadIndexed(0x7fff'fffc), 0U);
}

TEST_F(Common, PcieIndexPairsReachSmn) {
  registers.Write(chip.pcie_index2, 0x1114'0280);
  registers.Write(chip.pcie_data2, 0x77);
  EXPECT_EQ(registers.Read(chip.pcie_data2), 0x77U);
  EXPECT_EQ(registers.GetSmn(0x1114'0280), 0x77U);
  registers.Write(chip.pcie_index, 0x1114'0280);
  EXPECT_EQ(registers.Read(chip.pcie_data), 0x77U);
  registers.Write(chip.pcie_index2, 4);
  EXPECT_EQ(registers.Read(chip.pcie_data2), 0U);
}

TEST_F(Common, RomIsReadInSequenceAndEmptyBehindItsEnd) {
  registers.Write(chip.rom_index, 0);
  EXPECT_EQ(registers.Read(chip.rom_data), 0x0201'aa55U);
  EXPECT_EQ(registers.Read(chip.rom_data), 0x0605'0403U);
  EXPECT_EQ(registers.Read(chip.rom_data), 0xffff'0807U);
  EXPECT_EQ(registers.Read(chip.rom_data), 0xffff'ffffU);
  registers.Write(chip.rom_index, 0xffff'fffc);
  EXPECT_EQ(registers.Read(chip.rom_data), 0xffff'ffffU);
}

TEST_F(Common, PasidMappingIsAcknowledgedUntilCleared) {
  registers.Write(chip.atc_vmid0_pasid_mapping + 9 * 4, 0x8000'8001);
  registers.Write(chip.atc_vmid16_pasid_mapping + 9 * 4, 0x8000'8001);
  const auto status = chip.atc_pasid_mapping_update_status;
  EXPECT_EQ(registers.Read(status), 1U << 9 | 1U << 25);
  registers.Write(status, 1U << 9);
  EXPECT_EQ(registers.Read(status), 1U << 25);
  EXPECT_EQ(memory.PasidOf(9), 0x8001);
  registers.Write(chip.atc_vmid0_pasid_mapping + 9 * 4, 0x8001);  // not valid
  EXPECT_EQ(memory.PasidOf(9), 0);
}

TEST_F(Common, ClockIsTheOneCaptured) {
  host.AdvanceNs(0x2'0000'0050 * 10 - host.NowNs());
  registers.Write(chip.rlc_capture_gpu_clock_count, 1);
  host.AdvanceNs(1000);
  EXPECT_EQ(registers.Read(chip.rlc_gpu_clock_count_lsb), 0x50U);
  EXPECT_EQ(registers.Read(chip.rlc_gpu_clock_count_msb), 2U);
}

TEST_F(Common, RlcSafeModeAndHdpFlushAreDoneAtOnce) {
  registers.Write(chip.rlc_safe_mode, 0x3);
  EXPECT_EQ(registers.Read(chip.rlc_safe_mode), 0x2U);
  registers.Write(chip.hdp_flush_req, 0x404);
  EXPECT_EQ(registers.Read(chip.hdp_flush_done), 0x404U);
}

}  // namespace
}  // namespace kfdcts::vgpu
