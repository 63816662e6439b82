// Page tables as no driver makes them. The device may fault, but must stay inside VRAM and guest
// memory.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "harness/vgpu/test/support/memory_rig.h"

namespace kfdcts::vgpu {
namespace {

constexpr std::uint64_t kAddress = 0x7f12'3456'7000;
constexpr auto kReadWrite = PageTables::kReadWrite;

struct HostileTables : testing::Test, MemoryRig {
  FaultCause CauseOfWrite(std::uint64_t address, AddressSpace space = kUser) {
    const auto fault = memory.Write32(space, address, 1);
    EXPECT_TRUE(fault);
    return fault ? fault->cause : FaultCause::kNotPresent;
  }
};

TEST_F(HostileTables, PageBeyondVram) {
  tables.MapVram(kAddress, kVramBytes);
  EXPECT_EQ(CauseOfWrite(kAddress), FaultCause::kOutOfRange);
  tables.MapVram(kAddress + 0x1000, kPteAddressMask);
  EXPECT_EQ(CauseOfWrite(kAddress + 0x1ffc), FaultCause::kOutOfRange);
  EXPECT_EQ(diagnostics.Of(Diagnostics::Kind::kOutOfRange, "page outside VRAM"), 2U);
}

TEST_F(HostileTables, PageBeyondGuestMemory) {
  tables.MapSystem(kAddress, host.end());
  EXPECT_EQ(CauseOfWrite(kAddress), FaultCause::kOutOfRange);
  tables.MapSystem(kAddress + 0x1000, FakeHost::kBase - 0x1000);
  EXPECT_EQ(CauseOfWrite(kAddress + 0x1000), FaultCause::kOutOfRange);
}

TEST_F(HostileTables, HugePageThatReachesOverTheEndWorksUpToIt) {
  const auto huge = kAddress & ~0x1f'ffffULL;
  tables.Set(huge, (kVramBytes - 0x3000) | kReadWrite | kPdePte, 21);
  EXPECT_FALSE(memory.Write32(kUser, huge + 0x2ffc, 1));
  EXPECT_EQ(CauseOfWrite(huge + 0x3000), FaultCause::kOutOfRange);
  const std::vector<std::byte> data(0x5000, std::byte{5});
  const auto fault = memory.Write(kUser, huge + 0x1000, data);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->address, huge + 0x3000);
  EXPECT_EQ(LoadVram<std::byte>(kVramBytes - 1), std::byte{5});
}

TEST_F(HostileTables, DirectoryBeyondMemory) {
  tables.Set(kAddress, kVramBytes | kPteValid, 21);
  EXPECT_EQ(CauseOfWrite(kAddress), FaultCause::kWalker);
  tables.Set(kAddress, host.end() | kPteValid | kPteSystem, 30);
  EXPECT_EQ(CauseOfWrite(kAddress), FaultCause::kWalker);
  EXPECT_EQ(diagnostics.Of(Diagnostics::Kind::kOutOfRange, "page table outside VRAM"), 1U);
  EXPECT_EQ(diagnostics.Of(Diagnostics::Kind::kOutOfRange, "page table outside guest memory"), 1U);
}

TEST_F(HostileTables, RootBeyondMemory) {
  registers.Set(chip.gfx_hub.context0_page_table_base_lo + kVmid * 8, 0xffff'ffff);
  registers.Set(chip.gfx_hub.context0_page_table_base_lo + kVmid * 8 + 4, 0xffff'ffff);
  EXPECT_EQ(CauseOfWrite(kAddress), FaultCause::kWalker);
}

// Every level is the root again: the walk ends after four entries, at the root as a page.
TEST_F(HostileTables, RootThatPointsAtItself) {
  constexpr std::uint64_t kSlot = 255;
  const auto address = kSlot << 39 | kSlot << 30 | kSlot << 21 | kSlot << 12;
  const auto entry = tables.root() | kPteValid | kPteReadable;
  tables.Set(address, entry, 39);
  std::uint64_t value = 0;
  EXPECT_FALSE(memory.Read64(kUser, address + kSlot * 8, value));
  EXPECT_EQ(value, entry);
}

// A write through a page that holds its own page-table entry changes it: the next walk sees it.
TEST_F(HostileTables, PageTableMappedIntoItself) {
  const auto place = tables.PlaceOf(kAddress, 12);
  tables.MapVram(kAddress, place & ~0xfffULL);
  EXPECT_FALSE(memory.Write64(kUser, kAddress + (place & 0xfff), 0));
  Flush(Hub::kGfx, kVmid);
  EXPECT_EQ(CauseOfWrite(kAddress), FaultCause::kNotPresent);
}

TEST_F(HostileTables, GartTableBeyondMemoryAndWithoutEnd) {
  const auto& hub = chip.gfx_hub;
  for (const auto reg : {hub.context0_page_table_end_lo, hub.context0_page_table_base_lo}) {
    registers.Set(reg, 0xffff'ffff);
    registers.Set(reg + 4, 0xffff'ffff);
  }
  registers.Set(hub.agp_bot, 0xff'ffff);
  EXPECT_EQ(CauseOfWrite(0xffff'ffff'f000, kKernel), FaultCause::kWalker);
  EXPECT_EQ(CauseOfWrite(0, kKernel), FaultCause::kWalker);
}

TEST_F(HostileTables, TransferThatWrapsTheAddressSpace) {
  const std::uint64_t last = 0xffff'ffff'f000;
  tables.MapVram(last, 0x5000);
  tables.MapVram(0, 0x6000);
  const auto fault = memory.Fill(kUser, last, 1, 0x2000);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->cause, FaultCause::kOutOfRange);
  EXPECT_EQ(LoadVram<std::uint32_t>(0x6000), 0U);
}

TEST_F(HostileTables, TlbForgetsNothingOfThousandsOfPagesButStaysRight) {
  for (std::uint64_t page = 0; page < 8192; ++page) {
    tables.MapVram(kAddress + page * 0x1000, page % 512 * 0x1000);
    ASSERT_FALSE(memory.Write32(kUser, kAddress + page * 0x1000, static_cast<std::uint32_t>(page)));
    ASSERT_EQ(LoadVram<std::uint32_t>(page % 512 * 0x1000), page);
  }
  EXPECT_EQ(diagnostics.Total(Diagnostics::Kind::kStaleTranslation), 0U);
}

TEST_F(HostileTables, RandomTablesAndRegistersNeverLeaveMemory) {
  std::mt19937_64 random(20250807);
  const auto& hub = chip.gfx_hub;
  for (int round = 0; round < 20000; ++round) {
    const auto bits = random();
    StoreVram(random() % (kVramBytes - 8), bits | (round & 1));
    registers.Set(hub.context0_page_table_base_lo + kVmid * 8,
                  static_cast<std::uint32_t>(random() % kVramBytes) | (bits & 2));
    registers.Set(hub.agp_base, static_cast<std::uint32_t>(random()));
    registers.Set(hub.context0_page_table_end_lo, static_cast<std::uint32_t>(random()));
    const AddressSpace space{Hub::kGfx, static_cast<std::uint8_t>(bits & 8)};
    (void)memory.Fill(space, random() >> (bits % 48), 0x5a5a'5a5b, random() % 0x5000);
    (void)memory.Copy(space, random() >> (bits % 48), random() >> (bits % 47), random() % 0x5000);
  }
  EXPECT_GT(diagnostics.Total(Diagnostics::Kind::kVmFault), 0U);
}

}  // namespace
}  // namespace kfdcts::vgpu
