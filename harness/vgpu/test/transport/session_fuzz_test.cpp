// Random messages, most of them nearly right. The seed is gtest's (--gtest_random_seed) and is
// printed.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/vfio.h>
#include <sys/eventfd.h>

#include <random>
#include <vector>

#include "harness/vgpu/test/transport/memfd.h"
#include "harness/vgpu/test/transport/served_device.h"

namespace kfdcts::vgpu {
namespace {

class SessionFuzz : public testing::Test {
 protected:
  static std::uint32_t Seed() {
    const int given = testing::UnitTest::GetInstance()->random_seed();
    return given != 0 ? static_cast<std::uint32_t>(given) : std::random_device()();
  }

  std::uint64_t Below(std::uint64_t limit) {
    return std::uniform_int_distribution<std::uint64_t>(0, limit - 1)(random_);
  }
  bool OneIn(std::uint64_t n) { return Below(n) == 0; }

  /// Small, page-sized, near a limit, or anything.
  std::uint64_t Number() {
    switch (Below(6)) {
      case 0:
        return Below(64);
      case 1:
        return Below(16) * 4096;
      case 2:
        return (std::uint64_t{1} << Below(64)) - Below(3);
      case 3:
        return kVega10.scratch_reg0 + Below(64);
      case 4:
        return ~std::uint64_t{0} - Below(8192);
      default:
        return random_();
    }
  }

  Bytes Payload(std::uint16_t command) {
    Bytes payload;
    const auto number32 = [&] { return static_cast<std::uint32_t>(Number()); };
    switch (static_cast<wire::Command>(command)) {
      case wire::Command::kDmaMap:
        payload = BytesOf(wire::DmaMap{sizeof(wire::DmaMap), static_cast<std::uint32_t>(Below(5)),
                                       Below(4) * 4096, Number(), (1 + Below(4)) * 4096});
        break;
      case wire::Command::kDmaUnmap:
        payload =
            BytesOf(wire::DmaUnmap{sizeof(wire::DmaUnmap), static_cast<std::uint32_t>(Below(3)),
                                   Number(), Below(4) * 4096});
        break;
      case wire::Command::kDeviceSetIrqs: {
        const std::uint32_t flags = 1U << Below(3) | 8U << Below(3);
        const std::uint32_t request[] = {20, flags, static_cast<std::uint32_t>(Below(6)),
                                         static_cast<std::uint32_t>(Below(2)),
                                         static_cast<std::uint32_t>(Below(3))};
        const auto bytes = std::as_bytes(std::span(request));
        payload.assign(bytes.begin(), bytes.end());
        break;
      }
      case wire::Command::kRegionRead:
      case wire::Command::kRegionWrite: {
        const auto count = static_cast<std::uint32_t>(OneIn(20) ? number32() : Below(40));
        payload =
            BytesOf(wire::RegionAccess{Number(), static_cast<std::uint32_t>(Below(10)), count});
        break;
      }
      default:
        for (std::uint64_t i = Below(8); i > 0; --i) {
          const Bytes more = BytesOf(number32());
          payload.insert(payload.end(), more.begin(), more.end());
        }
        break;
    }
    if (command == static_cast<std::uint16_t>(wire::Command::kRegionWrite) || OneIn(10)) {
      for (std::uint64_t i = Below(40); i > 0; --i) {
        payload.push_back(static_cast<std::byte>(random_()));
      }
    }
    if (OneIn(10)) {
      payload.resize(Below(payload.size() + 1));
    }
    if (!payload.empty() && OneIn(5)) {
      payload[Below(payload.size())] = static_cast<std::byte>(random_());
    }
    return payload;
  }

  std::vector<int> SomeFds() {
    const int choices[] = {memory_.get(), shrinkable_.get(), event_.get(), file_.get()};
    std::vector<int> fds;
    if (OneIn(3)) {
      const std::uint64_t count = OneIn(10) ? 1 + Below(20) : 1;
      for (std::uint64_t i = 0; i < count; ++i) {
        fds.push_back(choices[Below(4)]);
      }
    }
    return fds;
  }

  /// One message on a live connection; false where the connection will not go on after it.
  bool SendOne(VfioClient& client) {
    const auto command = static_cast<std::uint16_t>(OneIn(20) ? random_() : 1 + Below(17));
    const Bytes payload = Payload(command);
    wire::Header header = {static_cast<std::uint16_t>(random_()), command,
                           static_cast<std::uint32_t>(sizeof(header) + payload.size()), 0, 0};
    const bool broken = OneIn(400);
    if (broken) {
      header.size = static_cast<std::uint32_t>(Number());
    }
    Bytes bytes = BytesOf(header);
    bytes.insert(bytes.end(), payload.begin(), payload.end());
    const bool sent = SendRaw(client.fd(), bytes, SomeFds());
    return sent && !broken && client.Receive().error != ECONNRESET;
  }

  std::uint32_t seed_ = Seed();
  std::mt19937_64 random_{seed_};
  UniqueFd memory_ = MakeMemfd(16 * 4096);
  UniqueFd shrinkable_ = MakeMemfd(4096, F_SEAL_GROW);
  UniqueFd event_{eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  UniqueFd file_{open("/dev/null", O_RDWR | O_CLOEXEC)};
};

TEST_F(SessionFuzz, NothingBreaksAndNothingIsLeft) {
  SCOPED_TRACE("seed " + std::to_string(seed_));
  RecordProperty("seed", std::to_string(seed_));
  ServedDevice served;
  const std::size_t fds = OpenFds();
  constexpr int kMessages = 20'000;
  for (int sent = 0; sent < kMessages;) {
    VfioClient& client = served.Connect();
    if (!OneIn(10)) {
      client.Negotiate();
    }
    while (sent < kMessages && SendOne(client)) {
      ++sent;
    }
    ++sent;
  }
  served.Disconnect();
  EXPECT_EQ(OpenFds(), fds);
  EXPECT_EQ(GuestMappings(), 0U);

  ASSERT_EQ(served.Connect().Negotiate(), 0U);
  served.client->WriteRegister(kVega10.scratch_reg0, 5);
  EXPECT_EQ(served.client->ReadRegister(kVega10.scratch_reg0), 5U);
}

}  // namespace
}  // namespace kfdcts::vgpu
