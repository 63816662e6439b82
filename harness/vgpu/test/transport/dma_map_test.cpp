#include "harness/vgpu/transport/dma_map.h"

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <limits>
#include <string>

#include "harness/vgpu/test/transport/memfd.h"

namespace kfdcts::vgpu {
namespace {

constexpr std::uint32_t kReadWrite = wire::kDmaReadable | wire::kDmaWritable;
constexpr std::uint64_t kPage = DmaMap::kPageBytes;

wire::DmaMap Request(std::uint64_t address, std::uint64_t size, std::uint64_t offset = 0,
                     std::uint32_t flags = kReadWrite) {
  return {sizeof(wire::DmaMap), flags, offset, address, size};
}

wire::DmaUnmap Removal(std::uint64_t address, std::uint64_t size, std::uint32_t flags = 0) {
  return {sizeof(wire::DmaUnmap), flags, address, size};
}

TEST(DmaMap, GivesTheBytesOfTheFileAtTheOffset) {
  const UniqueFd file = MakeMemfd(4 * kPage);
  ASSERT_EQ(pwrite(file.get(), "here", 4, 2 * kPage + 16), 4);
  DmaMap map;
  ASSERT_EQ(map.Map(Request(0x10000, kPage, 2 * kPage), UniqueFd(dup(file.get()))), 0);
  const std::byte* found = map.At(0x10010, 4, false);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(std::memcmp(found, "here", 4), 0);
}

TEST(DmaMap, WritesReachTheFile) {
  const UniqueFd file = MakeMemfd(kPage);
  DmaMap map;
  ASSERT_EQ(map.Map(Request(0, kPage), UniqueFd(dup(file.get()))), 0);
  std::memcpy(map.At(8, 4, true), "data", 4);
  char back[4];
  ASSERT_EQ(pread(file.get(), back, 4, 8), 4);
  EXPECT_EQ(std::string(back, 4), "data");
}

TEST(DmaMap, OutsideIsNull) {
  DmaMap map;
  ASSERT_EQ(map.Map(Request(2 * kPage, kPage), MakeMemfd(kPage)), 0);
  EXPECT_EQ(map.At(2 * kPage - 1, 1, false), nullptr);
  EXPECT_NE(map.At(2 * kPage, 1, false), nullptr);
  EXPECT_NE(map.At(3 * kPage - 1, 1, false), nullptr);
  EXPECT_EQ(map.At(3 * kPage - 1, 2, false), nullptr);
  EXPECT_EQ(map.At(3 * kPage, 1, false), nullptr);
  EXPECT_EQ(map.At(2 * kPage + 1, std::numeric_limits<std::size_t>::max(), false), nullptr);
}

TEST(DmaMap, NeighboursAreTwoMappings) {
  DmaMap map;
  ASSERT_EQ(map.Map(Request(0, kPage), MakeMemfd(kPage)), 0);
  ASSERT_EQ(map.Map(Request(kPage, kPage), MakeMemfd(kPage)), 0);
  EXPECT_EQ(map.At(kPage - 4, 8, false), nullptr);
  EXPECT_NE(map.At(kPage - 4, 4, false), nullptr);
  EXPECT_NE(map.At(kPage, 4, false), nullptr);
}

TEST(DmaMap, ReadOnlyMemoryIsNotWritten) {
  DmaMap map;
  ASSERT_EQ(map.Map(Request(0, kPage, 0, wire::kDmaReadable), MakeMemfd(kPage)), 0);
  EXPECT_NE(map.At(0, 4, false), nullptr);
  EXPECT_EQ(map.At(0, 4, true), nullptr);
}

TEST(DmaMap, MemoryWithoutAFileIsKnownButNotAccessible) {
  DmaMap map;
  ASSERT_EQ(map.Map(Request(0, kPage), UniqueFd()), 0);
  EXPECT_EQ(map.At(0, 4, false), nullptr);
  EXPECT_EQ(map.Map(Request(0, kPage), MakeMemfd(kPage)), EEXIST);
  EXPECT_EQ(map.Unmap(Removal(0, kPage)), 0);
}

TEST(DmaMap, TheLastPageOfAllAddresses) {
  DmaMap map;
  const std::uint64_t last = std::uint64_t{0} - kPage;
  ASSERT_EQ(map.Map(Request(last, kPage), MakeMemfd(kPage)), 0);
  EXPECT_NE(map.At(std::numeric_limits<std::uint64_t>::max(), 1, false), nullptr);
  EXPECT_EQ(map.At(std::numeric_limits<std::uint64_t>::max(), 2, false), nullptr);
  EXPECT_EQ(map.Map(Request(last, kPage), MakeMemfd(kPage)), EEXIST);
}

TEST(DmaMap, RegionsAreFoundAmongThousands) {
  DmaMap map;
  const UniqueFd file = MakeMemfd(kPage);
  for (std::uint64_t i = 0; i < 4000; ++i) {
    ASSERT_EQ(map.Map(Request(i * 2 * kPage, kPage), UniqueFd(dup(file.get()))), 0);
  }
  for (std::uint64_t i = 0; i < 4000; ++i) {
    ASSERT_NE(map.At(i * 2 * kPage + 8, 8, true), nullptr) << i;
    ASSERT_EQ(map.At((i * 2 + 1) * kPage, 8, true), nullptr) << i;
  }
}

struct BadMap {
  const char* name;
  wire::DmaMap request;
  int error;
};

class DmaMapRefuses : public testing::TestWithParam<BadMap> {};

TEST_P(DmaMapRefuses, WithoutChangingAnything) {
  DmaMap map;
  ASSERT_EQ(map.Map(Request(0x100000, 4 * kPage), MakeMemfd(4 * kPage)), 0);
  const std::size_t fds = OpenFds();
  EXPECT_EQ(map.Map(GetParam().request, MakeMemfd(4 * kPage)), GetParam().error);
  EXPECT_EQ(map.size(), 1U);
  EXPECT_EQ(OpenFds(), fds) << "the descriptor is closed";
  EXPECT_EQ(GuestMappings(), 1U);
}

constexpr std::uint64_t kHuge = std::numeric_limits<std::uint64_t>::max() - (kPage - 1);

INSTANTIATE_TEST_SUITE_P(
    All, DmaMapRefuses,
    testing::Values(BadMap{"NoBytes", Request(0, 0), EINVAL},
                    BadMap{"PartOfAPage", Request(0, 100), EINVAL},
                    BadMap{"UnalignedAddress", Request(0x1001, kPage), EINVAL},
                    BadMap{"UnalignedOffset", Request(0, kPage, 7), EINVAL},
                    BadMap{"WrapsAround", Request(kHuge, 2 * kPage), EINVAL},
                    BadMap{"NegativeSize", Request(0x200000, kHuge), EINVAL},
                    BadMap{"NotReadable", Request(0, kPage, 0, wire::kDmaWritable), EINVAL},
                    BadMap{"UnknownFlag", Request(0, kPage, 0, kReadWrite | 4), EINVAL},
                    BadMap{"BeyondTheFile", Request(0, 8 * kPage), EINVAL},
                    BadMap{"OffsetBeyondTheFile", Request(0, kPage, 4 * kPage), EINVAL},
                    BadMap{"OffsetOverflows", Request(0, 2 * kPage, kHuge), EINVAL},
                    BadMap{"Same", Request(0x100000, 4 * kPage), EEXIST},
                    BadMap{"OverlapsFromBelow", Request(0x100000 - kPage, 2 * kPage), EEXIST},
                    BadMap{"OverlapsAtTheEnd", Request(0x100000 + 3 * kPage, 2 * kPage), EEXIST},
                    BadMap{"Inside", Request(0x100000 + kPage, kPage), EEXIST}),
    [](const auto& param_info) { return param_info.param.name; });

TEST(DmaMap, RefusesFilesThatCouldShrinkOrAreNoMemory) {
  DmaMap map;
  EXPECT_EQ(map.Map(Request(0, kPage), MakeMemfd(kPage, F_SEAL_GROW)), EACCES);
  EXPECT_EQ(map.Map(Request(0, kPage), UniqueFd(open("/dev/zero", O_RDWR | O_CLOEXEC))), EACCES);
  EXPECT_EQ(map.Map(Request(0, kPage), UniqueFd(open("/", O_RDONLY | O_CLOEXEC))), EACCES);
  EXPECT_EQ(map.Map(Request(0, kPage), UniqueFd(eventfd(0, EFD_CLOEXEC))), EACCES);
  EXPECT_EQ(map.Map(Request(0, kPage), UniqueFd(socket(AF_UNIX, SOCK_STREAM, 0))), EACCES);
  EXPECT_EQ(map.size(), 0U);
}

TEST(DmaMap, RefusesWritingToAFileThatIsOpenForReading) {
  const UniqueFd file = MakeMemfd(kPage);
  const std::string path = "/proc/self/fd/" + std::to_string(file.get());
  DmaMap map;
  EXPECT_EQ(map.Map(Request(0, kPage), UniqueFd(open(path.c_str(), O_RDONLY | O_CLOEXEC))), EACCES);
  EXPECT_EQ(map.Map(Request(0, kPage, 0, wire::kDmaReadable),
                    UniqueFd(open(path.c_str(), O_RDONLY | O_CLOEXEC))),
            0);
}

TEST(DmaMap, UnmapWantsTheSameRange) {
  DmaMap map;
  ASSERT_EQ(map.Map(Request(kPage, 2 * kPage), MakeMemfd(2 * kPage)), 0);
  EXPECT_EQ(map.Unmap(Removal(0, kPage)), ENOENT);
  EXPECT_EQ(map.Unmap(Removal(kPage, kPage)), EINVAL);
  EXPECT_EQ(map.Unmap(Removal(2 * kPage, kPage)), ENOENT);
  EXPECT_EQ(map.Unmap(Removal(kPage, 2 * kPage, 1)), EINVAL);
  EXPECT_NE(map.At(kPage, 1, false), nullptr);
  EXPECT_EQ(map.Unmap(Removal(kPage, 2 * kPage)), 0);
  EXPECT_EQ(map.At(kPage, 1, false), nullptr);
  EXPECT_EQ(GuestMappings(), 0U);
}

TEST(DmaMap, UnmapAll) {
  DmaMap map;
  ASSERT_EQ(map.Map(Request(0, kPage), MakeMemfd(kPage)), 0);
  ASSERT_EQ(map.Map(Request(kPage, kPage), MakeMemfd(kPage)), 0);
  EXPECT_EQ(map.Unmap(Removal(0, kPage, wire::kDmaUnmapAll)), EINVAL);
  EXPECT_EQ(map.Unmap(Removal(0, 0, wire::kDmaUnmapAll)), 0);
  EXPECT_EQ(map.size(), 0U);
  EXPECT_EQ(GuestMappings(), 0U);
}

}  // namespace
}  // namespace kfdcts::vgpu
