// From a fault to what gmc_v9_0 and KFD read of it.
#include <gtest/gtest.h>

#include <array>

#include "harness/vgpu/core/interrupt_ring.h"
#include "harness/vgpu/test/support/memory_rig.h"

namespace kfdcts::vgpu {
namespace {

constexpr std::uint64_t kAddress = 0xf123'4567'8000;
constexpr std::uint64_t kRing = FakeHost::kBase + 0x10000;
constexpr std::uint32_t kFaultInterrupts = 0x2aaa00;
constexpr std::uint32_t kRetry = 1U << 7;

using Entry = std::array<std::uint32_t, 8>;

struct FaultInterrupt : testing::Test, MemoryRig {
  InterruptRing ring{chip, registers, memory, host};

  FaultInterrupt() {
    registers.Write(chip.ih[0].base, kRing >> 8);
    registers.Write(chip.ih[0].cntl, 1U | 10U << 1 | 1U << 17 | 1U << 28);
    registers.Write(chip.atc_vmid0_pasid_mapping + kVmid * 4, 1U << 31 | 0x8005);
    SetContext(kFaultInterrupts);
  }
  void SetContext(std::uint32_t cntl) {
    registers.Write(chip.gfx_hub.context0_cntl + kVmid * 4, cntl);
    registers.Write(chip.mm_hub.context0_cntl + kVmid * 4, cntl);
  }
  std::uint32_t Status(Hub hub = Hub::kGfx) {
    const auto& reg = hub == Hub::kGfx ? chip.gfx_hub : chip.mm_hub;
    return registers.Read(reg.protection_fault_status);
  }
  Entry EntryAt(unsigned slot) { return host.Load<Entry>(kRing + slot * 32); }
};

TEST_F(FaultInterrupt, UnmappedWriteOfTheGfxHub) {
  ring.PushFault(*memory.Write32(kUser, kAddress + 4, 1));
  const auto entry = EntryAt(0);
  EXPECT_EQ(entry[0] & 0xffff, 0x001bU);    // UTCL2, source 0
  EXPECT_EQ(entry[0] >> 16 & 0x38, 0x28U);  // not valid, write
  EXPECT_EQ(entry[0] >> 24, kVmid);
  EXPECT_EQ(entry[3], 0x8005U);
  EXPECT_EQ(entry[4], 0x1234'5678U);
  EXPECT_EQ(entry[5], 0x2fU);  // address bits 47:44, write
}

TEST_F(FaultInterrupt, UnmappedReadOfTheMmhub) {
  std::uint32_t value;
  ring.PushFault(*memory.Read32({Hub::kMm, kVmid}, kAddress, value));
  const auto entry = EntryAt(0);
  EXPECT_EQ(entry[0] & 0xffff, 0x0012U);    // VMC
  EXPECT_EQ(entry[0] >> 16 & 0x38, 0x18U);  // not valid, read
  EXPECT_EQ(entry[0] >> 31, 1U);
  EXPECT_EQ(entry[5], 0x4fU);
  EXPECT_EQ(Status(Hub::kMm), 0x3U << 4 | 46U << 9 | kVmid << 20);
  EXPECT_EQ(Status(Hub::kGfx), 0U);
}

TEST_F(FaultInterrupt, ReadOnlyWriteIsOfTheWriteBitAlone) {
  tables.MapVram(kAddress, 0x5000, kPteValid | kPteReadable);
  ring.PushFault(*memory.Write32(kUser, kAddress, 1));
  EXPECT_EQ(EntryAt(0)[0] >> 16 & 0x38, 0x20U);
  EXPECT_EQ(Status() >> 4 & 0xf, 0x4U);
  EXPECT_EQ(Status() >> 18 & 1, 1U);
}

TEST_F(FaultInterrupt, StatusKeepsTheFirstFaultUntilCleared) {
  ring.PushFault(*memory.Write32(kUser, kAddress, 1));
  const auto first = Status();
  ring.PushFault(*memory.Write32({Hub::kGfx, 0}, 0x1000, 1));
  EXPECT_EQ(Status(), first | 1U);
  const auto& hub = chip.gfx_hub;
  EXPECT_EQ(registers.Read(hub.protection_fault_addr_lo), 0x1234'5678U);
  EXPECT_EQ(registers.Read(hub.protection_fault_addr_lo + 4), 0xfU);
  registers.Write(hub.protection_fault_cntl, 0x3fff'fffd);
  EXPECT_EQ(Status(), 0U);
  EXPECT_EQ(registers.Read(hub.protection_fault_addr_lo), 0U);
  EXPECT_EQ(registers.Read(hub.protection_fault_cntl), 0x3fff'fffcU);
}

TEST_F(FaultInterrupt, InvalidationRequestCanClearTheStatusToo) {
  ring.PushFault(*memory.Write32(kUser, kAddress, 1));
  registers.Write(chip.gfx_hub.invalidate_eng0_req, 1U << 23 | 1U);
  EXPECT_EQ(Status(), 0U);
}

TEST_F(FaultInterrupt, RetryFaultHasItsBitAndLeavesTheStatusAlone) {
  SetContext(kFaultInterrupts | kRetry);
  ring.PushFault(*memory.Write32(kUser, kAddress, 1));
  EXPECT_EQ(EntryAt(0)[5] & 0xe0, 0xa0U);
  EXPECT_EQ(Status(), 0U);
}

TEST_F(FaultInterrupt, WalkerAndMappingErrorsHaveTheirBits) {
  tables.Set(kAddress, kVramBytes | kPteValid, 21);
  ring.PushFault(*memory.Write32(kUser, kAddress, 1));
  EXPECT_EQ(Status() >> 1 & 7, 1U);
  registers.Write(chip.gfx_hub.protection_fault_cntl, 1);
  tables.Set(kAddress, 0, 21);
  tables.MapVram(kAddress, kVramBytes);
  ring.PushFault(*memory.Write32(kUser, kAddress, 1));
  EXPECT_EQ(Status() >> 8 & 1, 1U);
}

TEST_F(FaultInterrupt, NoEntryWhereTheContextDoesNotEnableIt) {
  SetContext(0);
  ring.PushFault(*memory.Write32(kUser, kAddress, 1));
  EXPECT_EQ(ring.pushed(), 0U);
  EXPECT_NE(Status(), 0U);
}

}  // namespace
}  // namespace kfdcts::vgpu
