#include "harness/vgpu/asic/chip.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <map>
#include <span>
#include <stdexcept>
#include <string>

#include "harness/vgpu/core/register_file.h"
#include "harness/vgpu/memory/vram.h"

namespace kfdcts::vgpu {
namespace {

TEST(Chip, IsFoundByName) {
  EXPECT_EQ(FindChip("vega10"), &kVega10);
  EXPECT_EQ(FindChip("vega11"), nullptr);
  EXPECT_EQ(FindChip(""), nullptr);
}

class ChipNames : public testing::TestWithParam<std::span<const RegisterName>> {};

TEST_P(ChipNames, AreSortedAndInsideTheBar) {
  std::uint32_t last = 0;
  for (const auto& row : GetParam()) {
    EXPECT_TRUE(row.offset > last || row.offset == 0) << row.name;
    EXPECT_LE(row.offset + (row.count - 1) * row.stride, RegisterFile::kMmioBytes - 4) << row.name;
    EXPECT_EQ(row.offset % 4, 0U) << row.name;
    last = row.offset;
  }
}

INSTANTIATE_TEST_SUITE_P(Vega10, ChipNames, testing::Values(kVega10.names, kVega10.dump_names),
                         [](const auto& param) {
                           return param.index == 0 ? "Names" : "DumpNames";
                         });

TEST(Chip, RowsDoNotOverlap) {
  std::map<std::uint32_t, std::string> names;
  for (const auto& rows : {kVega10.names, kVega10.dump_names}) {
    for (const auto& row : rows) {
      for (std::uint32_t i = 0; i < row.count; ++i) {
        const auto offset = row.offset + i * row.stride;
        EXPECT_TRUE(names.emplace(offset, row.name).second)
            << row.name << " and " << names[offset] << " at " << offset;
      }
    }
  }
}

// The registers that the engines use carry the names that the kernel's headers give them.
TEST(Chip, OffsetsHaveTheirNames) {
  Diagnostics diagnostics;
  RegisterFile registers(diagnostics);
  registers.SetNames(kVega10.names);
  const auto& chip = kVega10;
  EXPECT_STREQ(registers.Name(chip.gfx_hub.invalidate_eng0_req + 17 * 4),
               "VM_INVALIDATE_ENG17_REQ");
  EXPECT_STREQ(registers.Name(chip.mm_hub.context0_page_table_base_lo + 15 * 8 + 4),
               "VM_CONTEXT15_PAGE_TABLE_BASE_ADDR_HI32");
  EXPECT_STREQ(registers.Name(chip.cp_hqd_pq_wptr_hi), "CP_HQD_PQ_WPTR_HI");
  EXPECT_LE(chip.cp_hqd_pq_wptr_hi, chip.cp_mqd_base_addr + (kHqdRegisters - 1) * 4);
  EXPECT_STREQ(registers.Name(chip.sdma_base[1] + chip.sdma_engine.f32_cntl), "SDMA1_F32_CNTL");
  EXPECT_STREQ(registers.Name(chip.sdma_gfx_rb_cntl[1] + chip.sdma_rlc0_offset +
                              chip.sdma_rlc_stride + chip.sdma_queue.doorbell_offset),
               "SDMA1_RLC1_DOORBELL_OFFSET");
  EXPECT_STREQ(registers.Name(chip.ih[2].doorbell_rptr), "IH_DOORBELL_RPTR_RING2");
  EXPECT_STREQ(registers.Name(chip.bios_scratch_0 + 7 * 4), "BIOS_SCRATCH_7");
}

TEST(Vram, TakesOnlyWhatABarCanHave) {
  EXPECT_THROW(Vram(3 << 20), std::invalid_argument);
  EXPECT_THROW(Vram(512 << 10), std::invalid_argument);
  EXPECT_THROW(Vram(0), std::invalid_argument);
}

TEST(Vram, AtStaysInside) {
  Vram vram(1 << 20);
  EXPECT_NE(vram.At((1 << 20) - 4, 4), nullptr);
  EXPECT_EQ(vram.At((1 << 20) - 3, 4), nullptr);
  EXPECT_EQ(vram.At(~std::uint64_t{0}, 2), nullptr);
  EXPECT_EQ(vram.At(0, (1 << 20) + 1), nullptr);
}

TEST(Vram, SizeIsSealed) {
  Vram vram(1 << 20);
  EXPECT_NE(ftruncate(vram.fd(), 0), 0);
  EXPECT_NE(ftruncate(vram.fd(), 2 << 20), 0);
}

}  // namespace
}  // namespace kfdcts::vgpu
