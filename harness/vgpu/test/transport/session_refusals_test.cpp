// What a client gets that is wrong, or means harm: an error reply and no effect, or the end of its
// connection.
#include <gtest/gtest.h>
#include <linux/vfio.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <limits>
#include <string>

#include "harness/vgpu/test/transport/memfd.h"
#include "harness/vgpu/test/transport/served_device.h"

namespace kfdcts::vgpu {
namespace {

using wire::Command;

class SessionRefusals : public testing::Test {
 protected:
  SessionRefusals() { EXPECT_EQ(client().Negotiate(), 0U); }
  ~SessionRefusals() override { EXPECT_EQ(GuestMappings(), 0U); }

  VfioClient& client() { return *served_.client; }
  std::uint32_t Error(Command command, const Bytes& payload, std::span<const int> fds = {}) {
    return client().Request(command, payload, fds).error;
  }
  /// The connection still works.
  void ExpectAlive() {
    client().WriteRegister(kVega10.scratch_reg0, 0x1234);
    EXPECT_EQ(client().ReadRegister(kVega10.scratch_reg0), 0x1234U);
  }

  ServedDevice served_;
  VfioClient& first_connection_ = served_.Connect();
};

TEST_F(SessionRefusals, UnknownCommands) {
  for (const int command : {0, 11, 12, 14, 17, 99, 0xffff}) {
    EXPECT_EQ(Error(static_cast<Command>(command), {}), static_cast<unsigned>(ENOTSUP)) << command;
  }
  EXPECT_EQ(Error(Command::kDeviceFeature, Bytes(8)), static_cast<unsigned>(ENOTTY));
  EXPECT_EQ(Error(Command::kDeviceGetRegionIoFds, Bytes(16)), static_cast<unsigned>(ENOTSUP));
  ExpectAlive();
}

TEST_F(SessionRefusals, PayloadsThatAreTooShort) {
  for (const Command command :
       {Command::kDmaMap, Command::kDmaUnmap, Command::kDeviceGetInfo,
        Command::kDeviceGetRegionInfo, Command::kDeviceGetIrqInfo, Command::kDeviceSetIrqs,
        Command::kRegionRead, Command::kRegionWrite, Command::kRegionWriteMulti}) {
    EXPECT_EQ(Error(command, Bytes(7)), static_cast<unsigned>(EINVAL)) << static_cast<int>(command);
  }
  ExpectAlive();
}

TEST_F(SessionRefusals, ReplySizesThatAreTooSmall) {
  EXPECT_EQ(Error(Command::kDeviceGetInfo, BytesOf(wire::DeviceInfo{15, 0, 0, 0})),
            static_cast<unsigned>(EINVAL));
  vfio_region_info region = {};
  region.argsz = sizeof(region) - 1;
  EXPECT_EQ(Error(Command::kDeviceGetRegionInfo, BytesOf(region)), static_cast<unsigned>(EINVAL));
  EXPECT_EQ(Error(Command::kDeviceGetIrqInfo, BytesOf(vfio_irq_info{0, 0, 1, 0})),
            static_cast<unsigned>(EINVAL));
}

TEST_F(SessionRefusals, ReplySizesThatAreHugeAreOnlyLimits) {
  EXPECT_EQ(Error(Command::kDeviceGetInfo, BytesOf(wire::DeviceInfo{0xffffffff, 0, 0, 0})), 0U);
}

TEST_F(SessionRefusals, IndicesThatDoNotExist) {
  vfio_region_info region = {};
  region.argsz = sizeof(region);
  region.index = VFIO_PCI_NUM_REGIONS;
  EXPECT_EQ(Error(Command::kDeviceGetRegionInfo, BytesOf(region)), static_cast<unsigned>(EINVAL));
  EXPECT_EQ(Error(Command::kDeviceGetIrqInfo,
                  BytesOf(vfio_irq_info{sizeof(vfio_irq_info), 0, VFIO_PCI_NUM_IRQS, 0})),
            static_cast<unsigned>(EINVAL));
  EXPECT_EQ(client().ReadRegion(99, 0, 4).error, static_cast<unsigned>(EINVAL));
  EXPECT_EQ(client().WriteRegion(0xffffffff, 0, Bytes(4)), static_cast<unsigned>(EINVAL));
}

TEST_F(SessionRefusals, AccessesOutsideARegion) {
  constexpr std::uint64_t kEnd = std::numeric_limits<std::uint64_t>::max();
  for (const std::uint32_t region :
       {VFIO_PCI_BAR0_REGION_INDEX, VFIO_PCI_BAR1_REGION_INDEX, VFIO_PCI_BAR2_REGION_INDEX,
        VFIO_PCI_BAR5_REGION_INDEX, VFIO_PCI_ROM_REGION_INDEX, VFIO_PCI_CONFIG_REGION_INDEX,
        VFIO_PCI_VGA_REGION_INDEX}) {
    vfio_region_info info = {};
    info.argsz = sizeof(info);
    info.index = region;
    const std::uint64_t size =
        client().Request(Command::kDeviceGetRegionInfo, BytesOf(info)).As<vfio_region_info>().size;
    for (const std::uint64_t offset : {size - 3, size, kEnd - 3, kEnd}) {
      EXPECT_EQ(client().ReadRegion(region, offset, 4).error, static_cast<unsigned>(EINVAL));
      EXPECT_EQ(client().WriteRegion(region, offset, Bytes(4)), static_cast<unsigned>(EINVAL));
    }
  }
}

TEST_F(SessionRefusals, RomIsNotWritten) {
  EXPECT_EQ(client().WriteRegion(VFIO_PCI_ROM_REGION_INDEX, 0, Bytes(4)),
            static_cast<unsigned>(EINVAL));
}

TEST_F(SessionRefusals, CountsThatAreNotWhatCame) {
  const wire::RegionAccess access = {0, VFIO_PCI_BAR5_REGION_INDEX, 8};
  EXPECT_EQ(Error(Command::kRegionWrite, Join(access, std::uint32_t{1})),
            static_cast<unsigned>(EINVAL));
  EXPECT_EQ(client().ReadRegion(VFIO_PCI_BAR0_REGION_INDEX, 0, wire::kMaxTransferBytes + 1).error,
            static_cast<unsigned>(EINVAL));
  EXPECT_EQ(client().ReadRegion(VFIO_PCI_BAR0_REGION_INDEX, 0, 0xffffffff).error,
            static_cast<unsigned>(EINVAL));
  EXPECT_EQ(Error(Command::kRegionWriteMulti, BytesOf(wire::WriteMulti{1})),
            static_cast<unsigned>(EINVAL));
  EXPECT_EQ(Error(Command::kRegionWriteMulti,
                  BytesOf(wire::WriteMulti{std::numeric_limits<std::uint64_t>::max()})),
            static_cast<unsigned>(EINVAL));
  const wire::SingleWrite nine = {{0, VFIO_PCI_BAR5_REGION_INDEX, 9}, {}};
  EXPECT_EQ(Error(Command::kRegionWriteMulti, Join(wire::WriteMulti{1}, nine)),
            static_cast<unsigned>(EINVAL));
  ExpectAlive();
}

TEST_F(SessionRefusals, NoBytesAreNoError) {
  EXPECT_EQ(client().ReadRegion(VFIO_PCI_BAR5_REGION_INDEX, 0, 0).error, 0U);
  EXPECT_EQ(client().WriteRegion(VFIO_PCI_BAR5_REGION_INDEX, 0, {}), 0U);
}

TEST_F(SessionRefusals, DescriptorsWhereNoneBelong) {
  const UniqueFd memory = MakeMemfd(4096);
  const std::size_t before = OpenFds();
  const std::vector<int> fds(2, memory.get());
  EXPECT_EQ(Error(Command::kDeviceReset, {}, fds), static_cast<unsigned>(EINVAL));
  const wire::DmaMap map = {sizeof(map), wire::kDmaReadable, 0, 0, 4096};
  EXPECT_EQ(Error(Command::kDmaMap, BytesOf(map), fds), static_cast<unsigned>(EINVAL));
  const std::vector<int> many(200, memory.get());
  EXPECT_EQ(Error(Command::kDmaMap, BytesOf(map), many), static_cast<unsigned>(EINVAL));
  ExpectAlive();
  EXPECT_EQ(OpenFds(), before);
}

TEST_F(SessionRefusals, MemoryThatTheClientCouldCutShort) {
  const UniqueFd memory = MakeMemfd(4096, F_SEAL_GROW);
  EXPECT_EQ(client().MapMemory(0, 4096, memory.get()), static_cast<unsigned>(EACCES));
  ASSERT_EQ(ftruncate(memory.get(), 0), 0);
  ExpectAlive();
}

TEST_F(SessionRefusals, SecondVersion) {
  EXPECT_EQ(client().Negotiate(), static_cast<unsigned>(EINVAL));
  ExpectAlive();
}

TEST_F(SessionRefusals, ReplyInsteadOfCommandEndsTheConnection) {
  const wire::Header header = {1, 9, sizeof(header), wire::kTypeReply, 0};
  ASSERT_TRUE(SendRaw(client().fd(), BytesOf(header)));
  EXPECT_EQ(served_.WaitForEnd(), Session::End::kProtocol);
}

TEST_F(SessionRefusals, SizesThatCannotBeEndTheConnection) {
  for (const std::uint32_t size : {0U, 15U, wire::kMaxMessageBytes + 1, 0xffffffffU}) {
    ASSERT_EQ(served_.Connect().Negotiate(), 0U);
    ASSERT_TRUE(SendRaw(client().fd(), BytesOf(wire::Header{1, 9, size, 0, 0})));
    EXPECT_EQ(served_.WaitForEnd(), Session::End::kProtocol) << size;
  }
}

TEST_F(SessionRefusals, ClientThatLeavesInsideAMessage) {
  const UniqueFd memory = MakeMemfd(4096);
  ASSERT_EQ(client().MapMemory(0, 4096, memory.get()), 0U);
  ASSERT_TRUE(SendRaw(client().fd(), BytesOf(wire::Header{1, 2, 48, 0, 0})));
  EXPECT_EQ(served_.Disconnect(), Session::End::kClientLeft);
}

TEST_F(SessionRefusals, ClientThatDoesNotReadItsReplies) {
  for (int i = 0; i < 64; ++i) {
    const wire::RegionAccess access = {0, VFIO_PCI_BAR0_REGION_INDEX, wire::kMaxTransferBytes};
    const wire::Header header = {1, 9, sizeof(header) + sizeof(access), 0, 0};
    ASSERT_TRUE(SendRaw(client().fd(), Join(header, access)));
  }
  EXPECT_EQ(served_.Disconnect(), Session::End::kClientLeft);
}

struct BadVersion {
  const char* name;
  std::uint16_t major;
  std::string text;
  int error;
};

class SessionRefusesVersion : public testing::TestWithParam<BadVersion> {};

TEST_P(SessionRefusesVersion, AndNothingElseWorksBeforeAGoodOne) {
  ServedDevice served;
  VfioClient& client = served.Connect();
  EXPECT_EQ(client.ReadRegion(VFIO_PCI_BAR5_REGION_INDEX, 0, 4).error,
            static_cast<unsigned>(EINVAL));
  Bytes request = BytesOf(wire::Version{GetParam().major, 0});
  const auto text = std::as_bytes(std::span(GetParam().text));
  request.insert(request.end(), text.begin(), text.end());
  EXPECT_EQ(client.Request(Command::kVersion, request).error,
            static_cast<unsigned>(GetParam().error));
  EXPECT_EQ(client.ReadRegion(VFIO_PCI_BAR5_REGION_INDEX, 0, 4).error,
            static_cast<unsigned>(EINVAL));
  EXPECT_EQ(client.Negotiate(), 0U);
}

INSTANTIATE_TEST_SUITE_P(
    All, SessionRefusesVersion,
    testing::Values(BadVersion{"OtherMajor", 1, "", ENOTSUP},
                    BadVersion{"NoTerminator", 0, "{}", EINVAL},
                    BadVersion{"NoJson", 0, std::string("{]\0", 3), EINVAL},
                    BadVersion{"NoObject", 0, std::string("[]\0", 3), EINVAL},
                    BadVersion{"OtherCapabilities", 0, std::string("{\"capabilities\":1}\0", 19),
                               EINVAL},
                    BadVersion{"DeepNesting", 0, std::string(100'000, '[') + '\0', EINVAL}),
    [](const auto& param_info) { return param_info.param.name; });

}  // namespace
}  // namespace kfdcts::vgpu
