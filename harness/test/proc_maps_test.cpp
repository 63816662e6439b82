#include "harness/probes/proc_maps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/test/temporary_folder.h"

namespace kfdcts::harness {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing_support::MessageOf;
using testing_support::TemporaryFolder;

MappedRegion Region(std::uint64_t begin, std::uint64_t end, std::string name = "",
                    std::uint64_t offset = 0) {
  return {begin, end, "rw-p", offset, std::move(name)};
}

TEST(ProcMaps, EveryFormOfLineIsRead) {
  const TemporaryFolder folder;
  const auto file = folder.Write("maps",
                                 "1000-3000 r-xp 00002000 08:01 77     /usr/lib/a name.so\n"
                                 "7f0000000000-7f0000001000 rw-p 00000000 00:00 0 \n"
                                 "7ffd00000000-7ffd00001000 rw-p 00000000 00:00 0   [stack]\n");
  EXPECT_THAT(ReadMaps(file),
              ElementsAre(MappedRegion{0x1000, 0x3000, "r-xp", 0x2000, "/usr/lib/a name.so"},
                          MappedRegion{0x7f0000000000, 0x7f0000001000, "rw-p", 0, ""},
                          MappedRegion{0x7ffd00000000, 0x7ffd00001000, "rw-p", 0, "[stack]"}));
}

TEST(ProcMaps, AnotherFormIsRefused) {
  const TemporaryFolder folder;
  const auto file = folder.Write("maps", "hello\n");
  EXPECT_EQ(file.string() + ": unknown line: hello",
            MessageOf<std::runtime_error>([&] { ReadMaps(file); }));
}

TEST(ProcMaps, OwnMapsAreReadable) { EXPECT_LT(5u, ReadMaps().size()); }

TEST(NewRegions, UnchangedOnesAreNotNew) {
  EXPECT_THAT(NewRegions({Region(1, 5)}, {Region(1, 5)}), IsEmpty());
}

TEST(NewRegions, GrowthAtBothEndsIsNew) {
  EXPECT_THAT(NewRegions({Region(3, 5)}, {Region(1, 9)}),
              ElementsAre(Region(1, 3), Region(5, 9, "", 2 + 2)));
}

TEST(NewRegions, MergingOldOnesIsNotNew) {
  EXPECT_THAT(NewRegions({Region(1, 3), Region(3, 6)}, {Region(1, 6)}), IsEmpty());
}

TEST(NewRegions, AnotherNameAtTheSamePlaceIsNew) {
  EXPECT_THAT(NewRegions({Region(1, 5)}, {Region(1, 5, "/dev/kfd")}),
              ElementsAre(Region(1, 5, "/dev/kfd")));
}

TEST(NewRegions, GoneOnesAreNotReported) { EXPECT_THAT(NewRegions({Region(1, 5)}, {}), IsEmpty()); }

}  // namespace
}  // namespace kfdcts::harness
