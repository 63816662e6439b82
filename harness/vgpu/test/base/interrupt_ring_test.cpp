#include "harness/vgpu/core/interrupt_ring.h"

#include <gtest/gtest.h>

#include <array>

#include "harness/vgpu/test/support/memory_rig.h"

namespace kfdcts::vgpu {
namespace {

constexpr std::uint64_t kRing = FakeHost::kBase + 0x10000;
constexpr std::uint64_t kWriteBack = FakeHost::kBase + 0x20000;
constexpr std::uint32_t kOverflowClear = 1U << 31;
// Enabled, 256 bytes (eight entries), write-back, overflow, interrupt.
constexpr std::uint32_t kControl = 1U | 6U << 1 | 1U << 8 | 1U << 16 | 1U << 17;
constexpr std::uint32_t kBus = 1U << 28, kTranslated = 4U << 28;

using Entry = std::array<std::uint32_t, 8>;

struct Ih : testing::Test, MemoryRig {
  InterruptRing ring{chip, registers, memory, host};

  void Enable(std::uint32_t cntl, std::uint64_t base = kRing,
              std::uint64_t write_back = kWriteBack) {
    registers.Write(chip.ih[0].base, static_cast<std::uint32_t>(base >> 8));
    registers.Write(chip.ih[0].base_hi, static_cast<std::uint32_t>(base >> 40));
    registers.Write(chip.ih_wptr_addr_lo, static_cast<std::uint32_t>(write_back));
    registers.Write(chip.ih_wptr_addr_hi, static_cast<std::uint32_t>(write_back >> 32));
    registers.Write(chip.ih[0].cntl, cntl);
  }
  void Push(std::uint32_t number) {
    ring.Push({.client = kIhClientGrbmCp, .source = 181, .data = {number}});
  }
  std::uint32_t Wptr() { return registers.Read(chip.ih[0].wptr); }
  std::uint32_t NumberAt(unsigned slot) { return host.Load<Entry>(kRing + slot * 32)[4]; }
};

TEST_F(Ih, EntryIsPackedAsTheDriverDecodesIt) {
  Enable(kControl | kBus);
  host.AdvanceNs((std::uint64_t{0xabcd} << 32) * 10 - host.NowNs() + 70);
  ring.Push({.client = kIhClientGrbmCp,
             .source = 181,
             .ring_id = 0x24,
             .vmid = 9,
             .pasid = 0x8001,
             .data = {1, 2, 3, 4}});
  EXPECT_EQ(host.Load<Entry>(kRing), (Entry{0x0924'b514, 7, 0xabcd, 0x8001, 1, 2, 3, 4}));
  EXPECT_EQ(Wptr(), 32U);
  EXPECT_EQ(host.Load<std::uint32_t>(kWriteBack), 32U);
  EXPECT_EQ(host.interrupts(), 1U);
  EXPECT_EQ(ring.pushed(), 1U);
}

TEST_F(Ih, SdmaAndVmcComeFromTheMmhub) {
  Enable(kControl | kBus);
  for (const std::uint8_t client : {chip.sdma_ih_client[0], chip.sdma_ih_client[1], kIhClientVmc}) {
    ring.Push({.client = client, .source = 224});
  }
  ring.Push({.client = kIhClientUtcl2, .source = 0});
  for (unsigned slot = 0; slot < 4; ++slot) {
    EXPECT_EQ(host.Load<Entry>(kRing + slot * 32)[0] >> 31, slot < 3 ? 1U : 0U) << slot;
  }
}

TEST_F(Ih, WrapsAround) {
  Enable(kControl | kBus);
  for (std::uint32_t number = 1; number <= 20; ++number) {
    Push(number);
    registers.Write(chip.ih[0].rptr, Wptr());
  }
  EXPECT_EQ(Wptr(), 20 % 8 * 32U);
  EXPECT_EQ(NumberAt(3), 20U);
  EXPECT_EQ(NumberAt(4), 13U);
  EXPECT_EQ(ring.dropped(), 0U);
}

TEST_F(Ih, FullRingDropsAndSetsTheOverflowBit) {
  Enable(kControl | kBus);
  for (std::uint32_t number = 1; number <= 9; ++number) Push(number);
  EXPECT_EQ(ring.pushed(), 7U);
  EXPECT_EQ(ring.dropped(), 2U);
  EXPECT_EQ(Wptr(), 7 * 32U | 1U);
  EXPECT_EQ(host.Load<std::uint32_t>(kWriteBack), 7 * 32U | 1U);
  EXPECT_EQ(NumberAt(7), 0U);
  EXPECT_EQ(NumberAt(0), 1U);
}

// The driver reads on from behind the write pointer, and clears the bit by setting and clearing
// WPTR_OVERFLOW_CLEAR.
TEST_F(Ih, OverflowIsClearedByTheDriver) {
  Enable(kControl | kBus);
  for (std::uint32_t number = 1; number <= 9; ++number) Push(number);
  registers.Write(chip.ih[0].rptr, 7 * 32);
  registers.Write(chip.ih[0].cntl, kControl | kBus | kOverflowClear);
  EXPECT_EQ(Wptr(), 7 * 32U);
  registers.Write(chip.ih[0].cntl, kControl | kBus);
  Push(10);
  EXPECT_EQ(Wptr(), 0U);
  EXPECT_EQ(NumberAt(7), 10U);
  EXPECT_EQ(host.Load<std::uint32_t>(kWriteBack), 0U);
}

TEST_F(Ih, DisabledRingDropsInSilence) {
  Enable((kControl | kBus) & ~1U);
  Push(1);
  EXPECT_EQ(ring.dropped(), 1U);
  EXPECT_EQ(host.interrupts(), 0U);
  EXPECT_EQ(Wptr(), 0U);
}

TEST_F(Ih, InterruptOnlyWhereEnabled) {
  Enable((kControl | kBus) & ~(1U << 17));
  Push(1);
  EXPECT_EQ(Wptr(), 32U);
  EXPECT_EQ(host.interrupts(), 0U);
}

TEST_F(Ih, RingInTheGart) {
  const auto& hub = chip.mm_hub;
  registers.Set(hub.context0_page_table_start_lo, 0x80000);
  registers.Set(hub.context0_page_table_end_lo, 0x80001);
  registers.Set(hub.context0_page_table_base_lo, 0x10'0001);
  StoreVram(0x10'0000, kRing | PageTables::kReadWrite | kPteSystem);
  StoreVram(0x10'0008, kWriteBack | PageTables::kReadWrite | kPteSystem);
  Enable(kControl | kTranslated, 0x8000'0000, 0x8000'1000);
  Push(5);
  EXPECT_EQ(NumberAt(0), 5U);
  EXPECT_EQ(host.Load<std::uint32_t>(kWriteBack), 32U);
}

TEST_F(Ih, RingOutsideMemoryLosesTheEntryOnly) {
  Enable(kControl | kBus, 0xff'ffff'0000);
  Push(1);
  Enable(kControl | kTranslated, 0xff'ffff'0000);
  Push(2);
  EXPECT_EQ(ring.dropped(), 2U);
  EXPECT_EQ(ring.pushed(), 0U);
  EXPECT_EQ(host.interrupts(), 0U);
}

TEST_F(Ih, RingTooSmallForTwoEntriesTakesNone) {
  for (std::uint32_t size = 0; size <= 3; ++size) {
    Enable((kControl & ~(0x1fU << 1)) | size << 1 | kBus);
    registers.Write(chip.ih[0].rptr, 64);
    Push(size);
  }
  EXPECT_EQ(ring.pushed(), 0U);
  EXPECT_EQ(host.interrupts(), 0U);
}

TEST_F(Ih, SizesAndPointersAsNoDriverSetsThem) {
  for (std::uint32_t size = 0; size < 32; ++size) {
    Enable((kControl & ~(0x1fU << 1)) | size << 1 | kBus);
    registers.Write(chip.ih[0].wptr, 0xffff'ffff);
    registers.Write(chip.ih[0].rptr, 0x1234'5677);
    Push(size);
    Push(size);
  }
  EXPECT_GT(ring.dropped(), 0U);
}

TEST_F(Ih, DoorbellMovesItsRingsReadPointer) {
  registers.Write(chip.ih[0].doorbell_rptr, 0x1e8U | 1U << 28);
  registers.Write(chip.ih[1].doorbell_rptr, 0x1ea);  // not enabled
  EXPECT_TRUE(ring.Doorbell(0x1e8 * 4, 96));
  EXPECT_EQ(registers.Read(chip.ih[0].rptr), 96U);
  EXPECT_FALSE(ring.Doorbell(0x1ea * 4, 32));
  EXPECT_FALSE(ring.Doorbell(0x1e8, 32));
}

TEST_F(Ih, SecondRingTellsByAnEntryInTheFirst) {
  Enable(kControl | kBus);
  registers.Write(chip.ih[1].base, (FakeHost::kBase + 0x30000) >> 8);
  registers.Write(chip.ih[1].cntl, (kControl | kBus) & ~(1U << 17));
  ring.PushToRing(1, {.client = kIhClientGrbmCp, .source = 3, .data = {77}});
  EXPECT_EQ(host.Load<Entry>(FakeHost::kBase + 0x30000)[4], 77U);
  EXPECT_EQ(registers.Read(chip.ih[1].wptr), 32U);
  EXPECT_EQ(host.Load<Entry>(kRing)[0], 0x0001'0000U);
  EXPECT_EQ(host.interrupts(), 1U);
}

TEST_F(Ih, SecondRingThatIsOffGivesToTheFirst) {
  Enable(kControl | kBus);
  ring.PushToRing(2, {.client = kIhClientGrbmCp, .source = 3, .data = {78}});
  EXPECT_EQ(NumberAt(0), 78U);
  EXPECT_EQ(Wptr(), 32U);
}

}  // namespace
}  // namespace kfdcts::vgpu
