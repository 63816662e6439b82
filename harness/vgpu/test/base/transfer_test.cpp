// Reads, writes, fills and copies that cross pages.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "harness/vgpu/test/support/memory_rig.h"

namespace kfdcts::vgpu {
namespace {

constexpr std::uint64_t kAddress = 0x7f12'3456'7000;

struct Transfer : testing::Test, MemoryRig {
  // Two pages that follow each other for the GPU only: the first in guest memory, the second in
  // VRAM.
  Transfer() {
    tables.MapSystem(kAddress, FakeHost::kBase + 0x3000);
    tables.MapVram(kAddress + 0x1000, 0x5000);
  }
  static std::vector<std::byte> Bytes(std::size_t count) {
    std::vector<std::byte> bytes(count);
    for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(i * 37 + 1);
    return bytes;
  }
};

TEST_F(Transfer, WriteAndReadAcrossPages) {
  const auto data = Bytes(0x123);
  EXPECT_FALSE(memory.Write(kUser, kAddress + 0xf01, data));
  EXPECT_EQ(host.Load<std::byte>(FakeHost::kBase + 0x3fff), data[0xfe]);
  EXPECT_EQ(LoadVram<std::byte>(0x5000), data[0xff]);
  std::vector<std::byte> back(data.size());
  EXPECT_FALSE(memory.Read(kUser, kAddress + 0xf01, back));
  EXPECT_EQ(back, data);
}

TEST_F(Transfer, UnalignedDwordAcrossPages) {
  EXPECT_FALSE(memory.Write32(kUser, kAddress + 0xffe, 0x4433'2211));
  std::uint32_t value = 0;
  EXPECT_FALSE(memory.Read32(kUser, kAddress + 0xffe, value));
  EXPECT_EQ(value, 0x4433'2211U);
  EXPECT_EQ(LoadVram<std::uint16_t>(0x5000), 0x4433);
}

TEST_F(Transfer, FaultInTheMiddleNamesItsFirstByteAndKeepsWhatWasBefore) {
  const auto data = Bytes(0x3000);
  const auto fault = memory.Write(kUser, kAddress + 0x800, data);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->address, kAddress + 0x2000);
  EXPECT_EQ(fault->access, Access::kWrite);
  EXPECT_EQ(LoadVram<std::byte>(0x5fff), data[0x17ff]);
  EXPECT_EQ(LoadVram<std::byte>(0x6000), std::byte{0});
}

TEST_F(Transfer, FillKeepsThePatternsPhaseAcrossPages) {
  EXPECT_FALSE(memory.Fill(kUser, kAddress + 0xffd, 0x4433'2211, 9));
  std::array<std::byte, 11> back{};
  EXPECT_FALSE(memory.Read(kUser, kAddress + 0xffc, back));
  const std::array expected = {std::byte{0},    std::byte{0x11}, std::byte{0x22}, std::byte{0x33},
                               std::byte{0x44}, std::byte{0x11}, std::byte{0x22}, std::byte{0x33},
                               std::byte{0x44}, std::byte{0x11}, std::byte{0}};
  EXPECT_EQ(back, expected);
}

TEST_F(Transfer, FillOfManyPages) {
  tables.Set(kAddress, 0, 21);
  tables.Set(kAddress & ~0x1f'ffffULL, 0x20'0000 | PageTables::kReadWrite | kPdePte, 21);
  EXPECT_FALSE(memory.Fill(kUser, kAddress & ~0x1f'ffffULL, 0x0102'0304, 0x1f'fffc));
  EXPECT_EQ(LoadVram<std::uint32_t>(0x20'0000), 0x0102'0304U);
  EXPECT_EQ(LoadVram<std::uint32_t>(0x3f'fff8), 0x0102'0304U);
  EXPECT_EQ(LoadVram<std::uint32_t>(0x3f'fffc), 0U);
}

TEST_F(Transfer, CopyFaultsOnTheSideThatIsMissing) {
  EXPECT_EQ(memory.Copy(kUser, kAddress, kAddress + 0x4000, 64)->access, Access::kWrite);
  const auto fault = memory.Copy(kUser, kAddress + 0x1f00, kAddress, 0x200);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->access, Access::kRead);
  EXPECT_EQ(fault->address, kAddress + 0x2000);
}

TEST_F(Transfer, NothingIsToBeDoneForZeroBytes) {
  EXPECT_FALSE(memory.Write(kUser, 0xdead'0000, {}));
  EXPECT_FALSE(memory.Copy(kUser, 0xdead'0000, 0xdead'0000, 0));
  EXPECT_FALSE(memory.Fill(kUser, 0xdead'0000, 1, 0));
}

TEST_F(Transfer, PointerIsWhereTheBytesAre) {
  Fault fault;
  auto* pointer = memory.Pointer(kUser, kAddress + 0x1008, 8, Access::kWrite, fault);
  EXPECT_EQ(pointer, vram.At(0x5008, 8));
  EXPECT_EQ(memory.Pointer(kUser, kAddress + 0x1004, 8, Access::kWrite, fault), nullptr);
  EXPECT_EQ(fault.cause, FaultCause::kOutOfRange);
}

TEST_F(Transfer, GuestMemoryThatIsReadOnlyForTheDevice) {
  host.SetReadOnly(true);
  std::uint32_t value;
  EXPECT_FALSE(memory.Read32(kUser, kAddress, value));
  EXPECT_EQ(memory.Write32(kUser, kAddress, 1)->cause, FaultCause::kOutOfRange);
}

TEST_F(Transfer, BusWriteOutsideGuestMemoryIsRefused) {
  const auto data = Bytes(8);
  EXPECT_TRUE(memory.WriteBus(host.end() - 8, data));
  EXPECT_FALSE(memory.WriteBus(host.end() - 4, data));
  EXPECT_FALSE(memory.WriteBus(~std::uint64_t{3}, data));
  EXPECT_EQ(diagnostics.Total(Diagnostics::Kind::kOutOfRange), 2U);
}

}  // namespace
}  // namespace kfdcts::vgpu
