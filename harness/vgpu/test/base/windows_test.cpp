// VMID 0: the driver's own view of the GPU's address space.
#include <gtest/gtest.h>

#include "harness/vgpu/test/support/memory_rig.h"

namespace kfdcts::vgpu {
namespace {

constexpr std::uint64_t kGart = 0x8000'0000;
constexpr std::uint64_t kGartPages = 4;
constexpr std::uint64_t kGartTable = 0x10'0000;  // in VRAM
constexpr std::uint64_t kAgp = 0x40'0000'0000;

struct Windows : testing::Test, MemoryRig {
  Windows() {
    const auto& hub = chip.gfx_hub;
    registers.Set(hub.context0_page_table_start_lo, kGart >> 12);
    registers.Set(hub.context0_page_table_end_lo, (kGart >> 12) + kGartPages - 1);
    registers.Set(hub.context0_page_table_base_lo, kGartTable | kPteValid);
    registers.Set(hub.agp_bot, kAgp >> 24);
    registers.Set(hub.agp_top, (kAgp >> 24) + 1);  // 32 MiB
    registers.Set(hub.agp_base, FakeHost::kBase >> 24);
  }
  void Bind(std::uint64_t page, std::uint64_t entry) { StoreVram(kGartTable + page * 8, entry); }
};

TEST_F(Windows, FrameBufferIsVram) {
  EXPECT_FALSE(memory.Write32(kKernel, chip.fb_base + kVramBytes - 4, 7));
  EXPECT_EQ(LoadVram<std::uint32_t>(kVramBytes - 4), 7U);
}

TEST_F(Windows, FrameBufferEndsWithVram) {
  const auto fault = memory.Write32(kKernel, chip.fb_base + kVramBytes, 7);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->cause, FaultCause::kOutOfRange);
  EXPECT_FALSE(fault->retry);
}

TEST_F(Windows, GartPageInGuestMemoryAndInVram) {
  Bind(0, (FakeHost::kBase + 0x3000) | PageTables::kReadWrite | kPteSystem);
  Bind(3, 0x4000 | PageTables::kReadWrite);
  EXPECT_FALSE(memory.Write32(kKernel, kGart + 0x10, 1));
  EXPECT_FALSE(memory.Write32(kKernel, kGart + 0x3010, 2));
  EXPECT_EQ(host.Load<std::uint32_t>(FakeHost::kBase + 0x3010), 1U);
  EXPECT_EQ(LoadVram<std::uint32_t>(0x4010), 2U);
}

TEST_F(Windows, GartEndsWhereTheRegisterSays) {
  Bind(kGartPages, 0x4000 | PageTables::kReadWrite);
  EXPECT_TRUE(memory.Write32(kKernel, kGart + kGartPages * 4096, 1));
  EXPECT_TRUE(memory.Write32(kKernel, kGart - 4, 1));
}

TEST_F(Windows, UnboundGartPageIsAFault) {
  const auto fault = memory.Write32(kKernel, kGart + 0x1000, 1);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->cause, FaultCause::kNotPresent);
  EXPECT_EQ(fault->space.vmid, 0);
}

TEST_F(Windows, ReboundGartPageNeedsAFlushOfVmid0) {
  Bind(1, 0x4000 | PageTables::kReadWrite);
  EXPECT_FALSE(memory.Write32(kKernel, kGart + 0x1000, 1));
  Bind(1, 0x5000 | PageTables::kReadWrite);
  EXPECT_FALSE(memory.Write32(kKernel, kGart + 0x1000, 2));
  EXPECT_EQ(LoadVram<std::uint32_t>(0x4000), 2U);
  EXPECT_EQ(diagnostics.Of(Diagnostics::Kind::kStaleTranslation, "gfx vmid 0 0x80001000"), 1U);
  Flush(Hub::kGfx, 0);
  EXPECT_FALSE(memory.Write32(kKernel, kGart + 0x1000, 3));
  EXPECT_EQ(LoadVram<std::uint32_t>(0x5000), 3U);
}

TEST_F(Windows, AgpIsTheBusFromItsBase) {
  EXPECT_FALSE(memory.Write32(kKernel, kAgp + 0x1234, 9));
  EXPECT_EQ(host.Load<std::uint32_t>(FakeHost::kBase + 0x1234), 9U);
}

TEST_F(Windows, AgpBeyondGuestMemoryIsRefused) {
  EXPECT_TRUE(memory.Write32(kKernel, kAgp + (4 << 20), 9));
  EXPECT_EQ(diagnostics.Of(Diagnostics::Kind::kOutOfRange, "page outside guest memory"), 1U);
}

TEST_F(Windows, AgpWithBottomAboveTopIsClosed) {
  registers.Set(chip.gfx_hub.agp_bot, 0xff'ffff);
  registers.Set(chip.gfx_hub.agp_top, 0);
  EXPECT_TRUE(memory.Write32(kKernel, kAgp, 9));
  EXPECT_TRUE(memory.Write32(kKernel, 0, 9));
}

TEST_F(Windows, UserSpaceSeesNoWindow) {
  EXPECT_TRUE(memory.Write32(kUser, chip.fb_base, 7));
  EXPECT_TRUE(memory.Write32(kUser, kAgp, 7));
}

TEST_F(Windows, CopyOfMegabytesBetweenWindows) {
  constexpr std::uint64_t kBytes = (3 << 20) + 12;
  for (std::uint64_t at = 0; at < kBytes; at += 4) {
    StoreVram(0x20'0ffc + at, static_cast<std::uint32_t>(at * 7));
  }
  EXPECT_FALSE(memory.Copy(kKernel, chip.fb_base + 0x20'0ffc, kAgp + 0x1004, kBytes));
  for (std::uint64_t at = 0; at < kBytes; at += 4) {
    const auto got = host.Load<std::uint32_t>(FakeHost::kBase + 0x1004 + at);
    ASSERT_EQ(got, static_cast<std::uint32_t>(at * 7)) << at;
  }
}

}  // namespace
}  // namespace kfdcts::vgpu
