#include <gtest/gtest.h>

#include "harness/vgpu/test/support/memory_rig.h"

namespace kfdcts::vgpu {
namespace {

constexpr std::uint64_t kAddress = 0x7f12'3456'7000;
constexpr std::uint64_t kHuge = 0x7f12'3440'0000;  // 2 MiB aligned
constexpr auto kReadWrite = PageTables::kReadWrite;

struct PageWalk : testing::Test, MemoryRig {};

TEST_F(PageWalk, SmallPageInGuestMemory) {
  tables.MapSystem(kAddress, FakeHost::kBase + 0x5000);
  host.Store<std::uint32_t>(FakeHost::kBase + 0x5678, 0xcafe);
  std::uint32_t value = 0;
  EXPECT_FALSE(memory.Read32(kUser, kAddress + 0x678, value));
  EXPECT_EQ(value, 0xcafeU);
}

TEST_F(PageWalk, SmallPageInVram) {
  tables.MapVram(kAddress, 0x5000);
  EXPECT_FALSE(memory.Write64(kUser, kAddress + 8, 0x1122'3344'5566'7788));
  EXPECT_EQ(LoadVram<std::uint64_t>(0x5008), 0x1122'3344'5566'7788U);
}

TEST_F(PageWalk, PageTableInGuestMemory) {
  const auto table = FakeHost::kBase + 0x8000;
  tables.Set(kAddress, table | kPteValid | kPteSystem, 21);
  host.Store<std::uint64_t>(table + (kAddress >> 12 & 511) * 8, 0x6000 | kReadWrite);
  StoreVram<std::uint32_t>(0x6010, 77);
  std::uint32_t value = 0;
  EXPECT_FALSE(memory.Read32(kUser, kAddress + 0x10, value));
  EXPECT_EQ(value, 77U);
}

TEST_F(PageWalk, RootInGuestMemory) {
  constexpr std::uint64_t kRoot = FakeHost::kBase + 0x9000;
  tables.MapVram(kAddress, 0x7000);
  host.Store(kRoot + (kAddress >> 39) * 8, LoadVram<std::uint64_t>(tables.PlaceOf(kAddress, 39)));
  const auto base = chip.gfx_hub.context0_page_table_base_lo + 9 * 8;
  registers.Set(base, (kRoot & 0xffff'ffff) | kPteValid | kPteSystem);
  registers.Set(base + 4, kRoot >> 32);
  EXPECT_FALSE(memory.Write32({Hub::kGfx, 9}, kAddress, 5));
  EXPECT_EQ(LoadVram<std::uint32_t>(0x7000), 5U);
}

TEST_F(PageWalk, HugePageOf2MiB) {
  tables.Set(kHuge, 0x20'0000 | kReadWrite | kPdePte, 21);
  EXPECT_FALSE(memory.Write32(kUser, kHuge + 0x12'3454, 9));
  EXPECT_EQ(LoadVram<std::uint32_t>(0x32'3454), 9U);
}

// The offset is added to the base, not or-ed: the driver maps 2 MiB of contiguous memory so
// wherever it begins.
TEST_F(PageWalk, HugePageWithUnalignedBase) {
  tables.Set(kHuge, 0x1f'f000 | kReadWrite | kPdePte, 21);
  EXPECT_FALSE(memory.Write32(kUser, kHuge + 0x1000, 1));
  EXPECT_FALSE(memory.Write32(kUser, kHuge + 0x1f'f000, 2));
  EXPECT_EQ(LoadVram<std::uint32_t>(0x20'0000), 1U);
  EXPECT_EQ(LoadVram<std::uint32_t>(0x3f'e000), 2U);
}

TEST_F(PageWalk, HugePageOf1GiBWithUnalignedBase) {
  const std::uint64_t giant = 0x7f12'4000'0000;
  tables.Set(giant, 0x1000 | kReadWrite | kPdePte, 30);
  EXPECT_FALSE(memory.Write32(kUser, giant + 0x7f'f000, 3));
  EXPECT_EQ(LoadVram<std::uint32_t>(0x80'0000), 3U);
}

TEST_F(PageWalk, HubsHaveTheirOwnPageTableBase) {
  tables.MapVram(kAddress, 0x5000);
  registers.Set(chip.mm_hub.context0_page_table_base_lo + kVmid * 8, 0x1);
  EXPECT_FALSE(memory.Write32(kUser, kAddress, 1));
  EXPECT_TRUE(memory.Write32({Hub::kMm, kVmid}, kAddress, 1));
}

class MissingLevel : public PageWalk, public testing::WithParamInterface<unsigned> {};

TEST_P(MissingLevel, IsAFaultThatNamesTheEntry) {
  tables.MapVram(kAddress, 0x5000);
  tables.Set(kAddress, 0xabc000, GetParam());  // an address, but not valid
  std::uint32_t value = 42;
  const auto fault = memory.Read32(kUser, kAddress + 4, value);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->cause, FaultCause::kNotPresent);
  EXPECT_EQ(fault->space, kUser);
  EXPECT_EQ(fault->address, kAddress + 4);
  EXPECT_EQ(fault->access, Access::kRead);
  EXPECT_EQ(fault->pte, 0xabc000U);
  EXPECT_FALSE(fault->retry);
  EXPECT_EQ(value, 42U);
  EXPECT_EQ(diagnostics.Of(Diagnostics::Kind::kVmFault, "gfx vmid 8 not present read"), 1U);
}

INSTANTIATE_TEST_SUITE_P(Depth, MissingLevel, testing::Values(39U, 30U, 21U, 12U),
                         [](const auto& param) { return "Shift" + std::to_string(param.param); });

TEST_F(PageWalk, ContextAsksForRetry) {
  SetRetry(kUser, true);
  const auto fault = memory.Write32(kUser, kAddress, 1);
  ASSERT_TRUE(fault);
  EXPECT_TRUE(fault->retry);
  SetRetry(kUser, false);
  EXPECT_FALSE(memory.Write32(kUser, kAddress, 1)->retry);
}

class FinalFault : public PageWalk, public testing::WithParamInterface<std::uint64_t> {};

// With these entries the driver answers a retry fault that it cannot resolve.
TEST_P(FinalFault, EntryForcesNoRetry) {
  SetRetry(kUser, true);
  tables.Set(kAddress, GetParam());
  const auto fault = memory.Write32(kUser, kAddress, 1);
  ASSERT_TRUE(fault);
  EXPECT_FALSE(fault->retry);
  EXPECT_EQ(fault->cause, FaultCause::kNotPresent);
}

INSTANTIATE_TEST_SUITE_P(NoRetryFlags, FinalFault,
                         testing::Values(kPteExecutable | kPdePte | kPteTf,
                                         kPteValid | kPteSystem | kPtePrt),
                         [](const auto& param) { return param.index == 0 ? "Of61" : "Of73"; });

TEST_F(PageWalk, WriteThroughReadOnlyEntry) {
  tables.MapVram(kAddress, 0x5000, kPteValid | kPteReadable);
  std::uint32_t value = 1;
  EXPECT_FALSE(memory.Read32(kUser, kAddress, value));
  EXPECT_EQ(value, 0U);
  const auto fault = memory.Write32(kUser, kAddress, 7);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->cause, FaultCause::kPermission);
  EXPECT_EQ(LoadVram<std::uint32_t>(0x5000), 0U);
  EXPECT_EQ(diagnostics.Of(Diagnostics::Kind::kReadOnlyWrite, "gfx vmid 8 0x7f1234567000"), 1U);
}

TEST_F(PageWalk, ReadThroughEntryWithoutReadBit) {
  tables.MapVram(kAddress, 0x5000, kPteValid | kPteWriteable);
  std::uint32_t value;
  EXPECT_FALSE(memory.Write32(kUser, kAddress, 7));
  EXPECT_EQ(memory.Read32(kUser, kAddress, value)->cause, FaultCause::kPermission);
  EXPECT_EQ(diagnostics.Total(Diagnostics::Kind::kReadOnlyWrite), 0U);
}

TEST_F(PageWalk, SignExtendedAddressIsTheUpperHalf) {
  const std::uint64_t upper = 0x8000'0000'5000;
  tables.MapVram(upper, 0x5000);
  EXPECT_FALSE(memory.Write32(kUser, upper, 1));
  EXPECT_FALSE(memory.Write32(kUser, 0xffff'0000'0000'0000 | upper, 2));
  EXPECT_EQ(LoadVram<std::uint32_t>(0x5000), 2U);
}

// LDS and scratch apertures begin at 2^48 and must not alias what lies at their lower 48 bits.
TEST_F(PageWalk, AddressBeyond48BitsIsAFault) {
  tables.MapVram(kAddress, 0x5000);
  const auto fault = memory.Write32(kUser, 0x1'0000'0000'0000 | kAddress, 1);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->cause, FaultCause::kOutOfRange);
  EXPECT_EQ(LoadVram<std::uint32_t>(0x5000), 0U);
}

}  // namespace
}  // namespace kfdcts::vgpu
