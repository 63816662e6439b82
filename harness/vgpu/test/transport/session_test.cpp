// What a well-behaved client gets.
#include "harness/vgpu/transport/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/pci_regs.h>
#include <linux/vfio.h>
#include <sys/eventfd.h>
#include <sys/mman.h>

#include <cerrno>
#include <nlohmann/json.hpp>
#include <string>

#include "harness/vgpu/core/register_file.h"
#include "harness/vgpu/test/transport/memfd.h"
#include "harness/vgpu/test/transport/served_device.h"

namespace kfdcts::vgpu {
namespace {

using wire::Command;
using Reply = VfioClient::Reply;

class SessionTest : public testing::Test {
 protected:
  SessionTest() { EXPECT_EQ(client().Negotiate(), 0U); }

  VfioClient& client() { return *served_.client; }
  vfio_region_info RegionInfo(std::uint32_t index, std::vector<UniqueFd>* fds = nullptr) {
    vfio_region_info info = {};
    info.argsz = sizeof(info);
    info.index = index;
    Reply reply = client().Request(Command::kDeviceGetRegionInfo, BytesOf(info));
    EXPECT_EQ(reply.error, 0U);
    if (fds != nullptr) {
      *fds = std::move(reply.fds);
    }
    return reply.As<vfio_region_info>();
  }

  ServedDevice served_;
  VfioClient& first_connection_ = served_.Connect();
  const std::uint32_t scratch_ = kVega10.scratch_reg0;
};

TEST_F(SessionTest, DeviceInfo) {
  const auto info = client()
                        .Request(Command::kDeviceGetInfo,
                                 BytesOf(wire::DeviceInfo{sizeof(wire::DeviceInfo), 0, 0, 0}))
                        .As<wire::DeviceInfo>();
  EXPECT_EQ(info.flags, VFIO_DEVICE_FLAGS_RESET | VFIO_DEVICE_FLAGS_PCI);
  EXPECT_EQ(info.num_regions, static_cast<unsigned>(VFIO_PCI_NUM_REGIONS));
  EXPECT_EQ(info.num_irqs, static_cast<unsigned>(VFIO_PCI_NUM_IRQS));
}

TEST_F(SessionTest, RegionSizes) {
  EXPECT_EQ(RegionInfo(VFIO_PCI_BAR0_REGION_INDEX).size, 16U << 20);
  EXPECT_EQ(RegionInfo(VFIO_PCI_BAR1_REGION_INDEX).size, 0U);
  EXPECT_EQ(RegionInfo(VFIO_PCI_BAR2_REGION_INDEX).size, Device::kDoorbellBytes);
  EXPECT_EQ(RegionInfo(VFIO_PCI_BAR5_REGION_INDEX).size, RegisterFile::kMmioBytes);
  EXPECT_EQ(RegionInfo(VFIO_PCI_ROM_REGION_INDEX).size, served_.device.vbios().size());
  EXPECT_EQ(RegionInfo(VFIO_PCI_CONFIG_REGION_INDEX).size, PciConfig::kBytes);
  EXPECT_EQ(RegionInfo(VFIO_PCI_VGA_REGION_INDEX).size, 0U);
}

TEST_F(SessionTest, VramCanBeMapped) {
  std::vector<UniqueFd> fds;
  const auto info = RegionInfo(VFIO_PCI_BAR0_REGION_INDEX, &fds);
  ASSERT_TRUE(info.flags & VFIO_REGION_INFO_FLAG_MMAP);
  ASSERT_EQ(fds.size(), 1U);
  void* vram = mmap(nullptr, info.size, PROT_READ | PROT_WRITE, MAP_SHARED, fds[0].get(),
                    static_cast<off_t>(info.offset));
  ASSERT_NE(vram, MAP_FAILED);
  std::memcpy(static_cast<char*>(vram) + 12345, "by the guest", 12);
  const Reply reply = client().ReadRegion(VFIO_PCI_BAR0_REGION_INDEX, 12345, 12);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(reply.payload.data()), 12), "by the guest");
  munmap(vram, info.size);
}

TEST_F(SessionTest, OtherRegionsHaveNoDescriptor) {
  std::vector<UniqueFd> fds;
  RegionInfo(VFIO_PCI_BAR5_REGION_INDEX, &fds);
  EXPECT_TRUE(fds.empty());
}

TEST_F(SessionTest, RegistersKeepWhatIsWritten) {
  client().WriteRegister(scratch_, 0xcafedead);
  EXPECT_EQ(client().ReadRegister(scratch_), 0xcafedeadU);
}

TEST_F(SessionTest, AccessesOfAnyLengthAndAlignment) {
  const Bytes data = Join(std::uint32_t{0x44332211}, std::uint32_t{0x88776655});
  ASSERT_EQ(client().WriteRegion(VFIO_PCI_BAR5_REGION_INDEX, scratch_, data), 0U);
  const Reply reply = client().ReadRegion(VFIO_PCI_BAR5_REGION_INDEX, scratch_ + 1, 6);
  EXPECT_EQ(reply.payload, Bytes(data.begin() + 1, data.end() - 1));
  const Bytes odd(5, std::byte{0xee});
  ASSERT_EQ(client().WriteRegion(VFIO_PCI_BAR5_REGION_INDEX, scratch_ + 2, odd), 0U);
  EXPECT_EQ(client().ReadRegister(scratch_), 0xeeee2211U);
  EXPECT_EQ(client().ReadRegister(scratch_ + 4), 0x88eeeeeeU);
}

TEST_F(SessionTest, LongestTransfer) {
  const Bytes data(wire::kMaxTransferBytes, std::byte{0x3c});
  ASSERT_EQ(client().WriteRegion(VFIO_PCI_BAR0_REGION_INDEX, 4096, data), 0U);
  EXPECT_EQ(client().ReadRegion(VFIO_PCI_BAR0_REGION_INDEX, 4096, wire::kMaxTransferBytes).payload,
            data);
}

TEST_F(SessionTest, RomIsTheVideoBios) {
  const auto vbios = served_.device.vbios();
  const Reply reply =
      client().ReadRegion(VFIO_PCI_ROM_REGION_INDEX, 0, static_cast<std::uint32_t>(vbios.size()));
  EXPECT_EQ(reply.payload, Bytes(vbios.begin(), vbios.end()));
}

TEST_F(SessionTest, ConfigurationSpace) {
  EXPECT_EQ(client().ReadRegion(VFIO_PCI_CONFIG_REGION_INDEX, 0, 4).As<std::uint32_t>(),
            0x68631002U);
  ASSERT_EQ(
      client().WriteRegion(VFIO_PCI_CONFIG_REGION_INDEX, PCI_BASE_ADDRESS_5, BytesOf(0xffffffffU)),
      0U);
  EXPECT_EQ(
      client().ReadRegion(VFIO_PCI_CONFIG_REGION_INDEX, PCI_BASE_ADDRESS_5, 4).As<std::uint32_t>(),
      0xfff80000U);
}

TEST_F(SessionTest, CoalescedWritesAreDoneInOrder) {
  const auto write = [&](std::uint32_t value) {
    wire::SingleWrite one = {{scratch_, VFIO_PCI_BAR5_REGION_INDEX, 4}, {}};
    std::memcpy(one.data, &value, sizeof(value));
    return one;
  };
  const Reply reply = client().Request(Command::kRegionWriteMulti,
                                       Join(wire::WriteMulti{3}, write(1), write(2), write(3)));
  EXPECT_EQ(reply.As<wire::WriteMulti>().count, 3U);
  EXPECT_EQ(client().ReadRegister(scratch_), 3U);
}

TEST_F(SessionTest, CommandsThatWantNoReplyGetNone) {
  const wire::RegionAccess access = {scratch_, VFIO_PCI_BAR5_REGION_INDEX, 4};
  ASSERT_TRUE(client().Post(Command::kRegionWrite, Join(access, std::uint32_t{77})));
  ASSERT_TRUE(client().Post(static_cast<Command>(99), {}));
  EXPECT_EQ(client().ReadRegister(scratch_), 77U);
}

TEST_F(SessionTest, RepliesCarryTheRequestsId) {
  client().ReadRegister(scratch_);
  const std::uint16_t first = client().last_reply_id();
  client().ReadRegister(scratch_);
  EXPECT_EQ(client().last_reply_id(), first + 1);
}

TEST_F(SessionTest, DeviceReachesMappedMemory) {
  const UniqueFd memory = MakeMemfd(64 << 10);
  ASSERT_EQ(client().MapMemory(0x100000, 64 << 10, memory.get()), 0U);
  served_.device.Locked([&] {
    std::byte* found = served_.host.GuestMemory(0x100100, 4, true);
    ASSERT_NE(found, nullptr);
    std::memcpy(found, "gpu!", 4);
  });
  char back[4];
  ASSERT_EQ(pread(memory.get(), back, 4, 0x100), 4);
  EXPECT_EQ(std::string(back, 4), "gpu!");
  const wire::DmaUnmap unmap = {sizeof(unmap), 0, 0x100000, 64 << 10};
  const Reply reply = client().Request(Command::kDmaUnmap, BytesOf(unmap));
  EXPECT_EQ(reply.error, 0U);
  EXPECT_EQ(reply.As<wire::DmaUnmap>().address, 0x100000U);
  served_.device.Locked([&] { EXPECT_EQ(served_.host.GuestMemory(0x100100, 4, false), nullptr); });
}

TEST_F(SessionTest, InterruptsSignalTheEventFd) {
  const UniqueFd event(eventfd(0, EFD_CLOEXEC));
  ASSERT_EQ(client().UseMsi(event.get()), 0U);
  served_.host.RaiseInterrupt();
  eventfd_t value = 0;
  ASSERT_EQ(eventfd_read(event.get(), &value), 0);
  EXPECT_EQ(value, 1U);
}

TEST_F(SessionTest, IrqInfo) {
  vfio_irq_info info = {sizeof(info), 0, VFIO_PCI_MSI_IRQ_INDEX, 0};
  const auto msi = client().Request(Command::kDeviceGetIrqInfo, BytesOf(info)).As<vfio_irq_info>();
  EXPECT_EQ(msi.count, 1U);
  EXPECT_TRUE(msi.flags & VFIO_IRQ_INFO_EVENTFD);
  info.index = VFIO_PCI_INTX_IRQ_INDEX;
  EXPECT_EQ(client().Request(Command::kDeviceGetIrqInfo, BytesOf(info)).As<vfio_irq_info>().count,
            0U);
}

TEST_F(SessionTest, ResetClearsRegistersAndConfigurationButNotVram) {
  client().WriteRegister(scratch_, 1);
  client().WriteRegion(VFIO_PCI_CONFIG_REGION_INDEX, PCI_COMMAND, BytesOf(std::uint16_t{2}));
  client().WriteRegion(VFIO_PCI_BAR0_REGION_INDEX, 0, BytesOf(std::uint32_t{42}));
  ASSERT_EQ(client().Request(Command::kDeviceReset).error, 0U);
  EXPECT_EQ(client().ReadRegister(scratch_), 0U);
  EXPECT_EQ(client().ReadRegion(VFIO_PCI_CONFIG_REGION_INDEX, PCI_COMMAND, 2).As<std::uint16_t>(),
            0U);
  EXPECT_EQ(client().ReadRegion(VFIO_PCI_BAR0_REGION_INDEX, 0, 4).As<std::uint32_t>(), 42U);
}

TEST_F(SessionTest, EndTakesMemoryAndInterruptAway) {
  const std::size_t fds = OpenFds();
  const UniqueFd memory = MakeMemfd(4096), event(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  ASSERT_EQ(client().MapMemory(0, 4096, memory.get()), 0U);
  ASSERT_EQ(client().UseMsi(event.get()), 0U);
  EXPECT_EQ(served_.Disconnect(), Session::End::kClientLeft);
  served_.device.Locked([&] { EXPECT_EQ(served_.host.GuestMemory(0, 4, false), nullptr); });
  EXPECT_EQ(GuestMappings(), 0U);
  served_.host.RaiseInterrupt();
  eventfd_t value = 0;
  EXPECT_NE(eventfd_read(event.get(), &value), 0);
  EXPECT_EQ(OpenFds(), fds - 2 + 2) << "both ends of the connection are gone, two files came";
}

TEST(SessionVersion, OffersWhatTheServerCan) {
  ServedDevice served;
  const std::string capabilities = R"({"capabilities":{"max_msg_fds":16,"write_multiple":true}})";
  Bytes request = BytesOf(wire::Version{0, 0});
  const auto text = std::as_bytes(std::span(capabilities.c_str(), capabilities.size() + 1));
  request.insert(request.end(), text.begin(), text.end());
  const Reply reply = served.Connect().Request(Command::kVersion, request);
  ASSERT_EQ(reply.error, 0U);
  EXPECT_EQ(reply.As<wire::Version>().minor, 0) << "not above what the client proposed";
  const auto answer = nlohmann::json::parse(
      reinterpret_cast<const char*>(reply.payload.data() + sizeof(wire::Version)));
  EXPECT_EQ(answer["capabilities"]["max_data_xfer_size"], wire::kMaxTransferBytes);
  EXPECT_EQ(answer["capabilities"]["pgsizes"], 4096);
  EXPECT_FALSE(answer["capabilities"].contains("write_multiple"));
}

}  // namespace
}  // namespace kfdcts::vgpu
