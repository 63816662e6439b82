#include "harness/vgpu/memory/tlb.h"

#include <gtest/gtest.h>

#include "harness/vgpu/test/support/memory_rig.h"

namespace kfdcts::vgpu {
namespace {

constexpr std::uint64_t kAddress = 0x7f12'3456'7000;
constexpr std::uint64_t kHuge = 0x7f12'3440'0000;
constexpr AddressSpace kOtherHub{Hub::kMm, MemoryRig::kVmid};

struct TlbUse : testing::Test, MemoryRig {
  // A page seen through the TLB, then mapped elsewhere behind its back.
  void MakeStale() {
    tables.MapVram(kAddress, 0x5000);
    EXPECT_FALSE(memory.Write32(kUser, kAddress, 1));
    tables.MapVram(kAddress, 0x6000);
  }
  std::uint64_t Stale() const { return diagnostics.Total(Diagnostics::Kind::kStaleTranslation); }
};

TEST_F(TlbUse, ChangedEntryWithoutFlushGivesTheOldPageAndIsCounted) {
  MakeStale();
  EXPECT_FALSE(memory.Write32(kUser, kAddress, 2));
  EXPECT_EQ(LoadVram<std::uint32_t>(0x5000), 2U);
  EXPECT_EQ(LoadVram<std::uint32_t>(0x6000), 0U);
  EXPECT_EQ(diagnostics.Of(Diagnostics::Kind::kStaleTranslation, "gfx vmid 8 0x7f1234567000"), 1U);
}

TEST_F(TlbUse, RemovedEntryWithoutFlushGivesTheOldPageAndIsCounted) {
  MakeStale();
  tables.Unmap(kAddress);
  EXPECT_FALSE(memory.Write32(kUser, kAddress, 3));
  EXPECT_EQ(LoadVram<std::uint32_t>(0x5000), 3U);
  EXPECT_EQ(Stale(), 1U);
}

TEST_F(TlbUse, ChangedPermissionWithoutFlushIsStaleToo) {
  tables.MapVram(kAddress, 0x5000);
  EXPECT_FALSE(memory.Write32(kUser, kAddress, 1));
  tables.MapVram(kAddress, 0x5000, kPteValid | kPteReadable);
  EXPECT_FALSE(memory.Write32(kUser, kAddress, 2));
  EXPECT_EQ(Stale(), 1U);
}

TEST_F(TlbUse, FlushOfTheVmidEndsIt) {
  MakeStale();
  Flush(Hub::kGfx, kVmid);
  EXPECT_FALSE(memory.Write32(kUser, kAddress, 2));
  EXPECT_EQ(LoadVram<std::uint32_t>(0x6000), 2U);
  EXPECT_EQ(Stale(), 0U);
}

TEST_F(TlbUse, FlushOfAnotherVmidDoesNot) {
  MakeStale();
  Flush(Hub::kGfx, kVmid + 1);
  EXPECT_FALSE(memory.Write32(kUser, kAddress, 2));
  EXPECT_EQ(Stale(), 1U);
}

TEST_F(TlbUse, FlushOfTheOtherHubDoesNot) {
  MakeStale();
  Flush(Hub::kMm, kVmid);
  EXPECT_FALSE(memory.Write32(kUser, kAddress, 2));
  EXPECT_EQ(Stale(), 1U);
}

TEST_F(TlbUse, RequestFlushesEveryVmidOfItsMaskAndIsAcknowledged) {
  MakeStale();
  const auto& hub = chip.gfx_hub;
  EXPECT_EQ(registers.Read(hub.invalidate_eng0_ack + 3 * 4), 0U);
  EXPECT_EQ(registers.Read(hub.invalidate_eng0_sem + 3 * 4), 1U);
  const auto flushes = memory.InvalidationCount();
  registers.Write(hub.invalidate_eng0_req + 3 * 4, 0x007c'0000 | 1U << kVmid | 1U << 2);
  EXPECT_EQ(registers.Read(hub.invalidate_eng0_ack + 3 * 4), 1U << kVmid | 1U << 2);
  EXPECT_EQ(registers.Read(hub.invalidate_eng0_ack + 4 * 4), 0U);
  EXPECT_EQ(memory.InvalidationCount(), flushes + 2);
  EXPECT_FALSE(memory.Write32(kUser, kAddress, 2));
  EXPECT_EQ(Stale(), 0U);
}

TEST_F(TlbUse, L2Cntl2InvalidatesAll) {
  MakeStale();
  registers.Write(chip.gfx_hub.l2_cntl2, 0x3);
  EXPECT_EQ(registers.Read(chip.gfx_hub.l2_cntl2), 0U);
  EXPECT_FALSE(memory.Write32(kUser, kAddress, 2));
  EXPECT_EQ(Stale(), 0U);
}

TEST_F(TlbUse, InvalidateAllTlbsReachesBothHubs) {
  MakeStale();
  tables.MapVram(kAddress, 0x5000);
  EXPECT_FALSE(memory.Write32(kOtherHub, kAddress, 1));
  tables.MapVram(kAddress, 0x6000);
  memory.InvalidateAllTlbs();
  EXPECT_FALSE(memory.Write32(kUser, kAddress, 2));
  EXPECT_FALSE(memory.Write32(kOtherHub, kAddress, 2));
  EXPECT_EQ(Stale(), 0U);
}

TEST_F(TlbUse, PageTableBaseWriteFlushesNothing) {
  MakeStale();
  registers.Write(chip.gfx_hub.context0_page_table_base_lo + kVmid * 8, 0x1);
  EXPECT_FALSE(memory.Write32(kUser, kAddress, 2));
  EXPECT_EQ(LoadVram<std::uint32_t>(0x5000), 2U);
  EXPECT_EQ(Stale(), 1U);
}

TEST_F(TlbUse, MissingPageIsNotCached) {
  EXPECT_TRUE(memory.Write32(kUser, kAddress, 1));
  tables.MapVram(kAddress, 0x5000);
  EXPECT_FALSE(memory.Write32(kUser, kAddress, 1));
  EXPECT_EQ(Stale(), 0U);
}

TEST_F(TlbUse, SplitOfAHugePageThatMapsTheSameIsNotStale) {
  tables.Set(kHuge, 0x1f'f000 | PageTables::kReadWrite | kPdePte, 21);
  EXPECT_FALSE(memory.Write32(kUser, kHuge + 0x3000, 1));
  tables.Set(kHuge, 0, 21);
  tables.MapVram(kHuge + 0x3000, 0x20'2000);
  tables.MapVram(kHuge + 0x4000, 0x5000);
  EXPECT_FALSE(memory.Write32(kUser, kHuge + 0x3000, 2));
  EXPECT_EQ(Stale(), 0U);
  EXPECT_FALSE(memory.Write32(kUser, kHuge + 0x4000, 3));
  EXPECT_EQ(LoadVram<std::uint32_t>(0x20'3000), 3U);
  EXPECT_EQ(Stale(), 1U);
}

TEST(Tlb, PartOfAGiantPageIsCachedAs2MiB) {
  Tlb tlb;
  tlb.Insert(3, 0x4060'0000, {true, 0x1000, 1 << 30, true, true, 0});
  const auto* page = tlb.Find(3, 0x407f'ffff);
  ASSERT_NE(page, nullptr);
  EXPECT_EQ(page->address, 0x60'1000U);
  EXPECT_EQ(page->bytes, Tlb::kLargePage);
  EXPECT_EQ(tlb.Find(3, 0x4080'0000), nullptr);
  EXPECT_EQ(tlb.Find(4, 0x4060'0000), nullptr);
}

TEST(Tlb, InvalidationIsOfOneVmid) {
  Tlb tlb;
  for (std::uint8_t vmid = 0; vmid < 16; ++vmid) {
    tlb.Insert(vmid, 0x5000, {false, vmid * 0x1000U, 4096, true, true, 0});
  }
  tlb.Invalidate(7);
  for (std::uint8_t vmid = 0; vmid < 16; ++vmid) {
    EXPECT_EQ(tlb.Find(vmid, 0x5abc) == nullptr, vmid == 7) << unsigned{vmid};
  }
}

// One may be forgotten for another, but never taken for it.
TEST(Tlb, VmidsKeepTheSamePageApart) {
  Tlb tlb;
  for (std::uint64_t page = 0; page < 1000 * 0x1000; page += 0x1000) {
    for (std::uint8_t vmid = 0; vmid < 16; ++vmid) {
      tlb.Insert(vmid, page, {false, page + vmid, 4096, true, true, 0});
    }
    for (std::uint8_t vmid = 0; vmid < 16; ++vmid) {
      const auto* found = tlb.Find(vmid, page);
      ASSERT_TRUE(found == nullptr || found->address == page + vmid)
          << page << ' ' << unsigned{vmid};
    }
  }
}

}  // namespace
}  // namespace kfdcts::vgpu
