// A GPU's memory that is full, or smaller than what is sent to it.
#include <linux/kfd_ioctl.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <stdexcept>

#include "suites/prefetch/prefetch_test.h"

namespace kfdcts::suites {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

/// A GPU's memory taken by hsaKmtAllocMemory until there is no more, in smaller and smaller pieces.
/// Throws where nothing can be taken.
class TakenVram {
 public:
  TakenVram(const harness::ThunkApi& thunk, const harness::GpuNode& gpu)
      : thunk_(thunk), node_(gpu.node_id) {
    for (std::size_t bytes = std::bit_floor(gpu.facts.vram_bytes); bytes >= kSmallest;) {
      try {
        Take(bytes);
      } catch (const ThunkFailure&) {
        bytes /= 2;
      }
    }
    if (pieces_.empty()) throw std::runtime_error("no memory of the GPU could be taken");
  }

  void FreeAll() { pieces_.clear(); }
  /// Frees so much again, up to less than a smallest piece more.
  void Free(std::size_t bytes) {
    std::size_t freed = 0;
    for (; freed < bytes && !pieces_.empty(); pieces_.pop_back()) freed += pieces_.back()->size();
    for (; freed >= bytes + kSmallest; freed -= kSmallest) Take(kSmallest);
  }

 private:
  static constexpr std::size_t kSmallest = 2 * kMiB;

  void Take(std::size_t bytes) {
    pieces_.push_back(
        std::make_unique<Allocation>(thunk_, node_, bytes, FlagsFor(MemoryKind::kVram)));
  }

  const harness::ThunkApi& thunk_;
  HSAuint32 node_;
  std::vector<std::unique_ptr<Allocation>> pieces_;
};

std::size_t PagesOf(std::size_t bytes) { return bytes / PageSize(); }

class FullTest : public PrefetchTest {
 protected:
  void NoRoom() {
    const MigratedBuffer buffer(PagesOf(8 * kMiB));
    Allow(buffer.All(), {node()});
    TakenVram taken(thunk(), gpu());
    const HSAKMT_STATUS full = Set(buffer.All(), {Prefetch(node())});
    EXPECT_TRUE(full == HSAKMT_STATUS_SUCCESS || full == HSAKMT_STATUS_NO_MEMORY ||
                full == HSAKMT_STATUS_ERROR)
        << NameOf(full);
    EXPECT_NE(buffer.Where(), InVram(buffer.page_count())) << "there was room";
    EXPECT_EQ(StateOf(buffer.All()), DefaultsWithAccess({node()}).WithPrefetch(node()));
    buffer.ExpectIntact();
    taken.FreeAll();
    MoveTo(buffer.All(), node());
    EXPECT_EQ(buffer.Where(), InVram(buffer.page_count()));
    ExpectGpuReads(buffer);
    buffer.ExpectIntact();
  }
};

}  // namespace

KFD_TEST_F(Prefetch, NoRoom, FullTest,
           .property =
               "a prefetch to a GPU whose memory is full fails or leaves the pages, and "
               "loses nothing; with memory free again it moves them",
           .rules = "PRE-10", .needs = {Capability::kSvm, Capability::kPagemap},
           .xnack = Xnack::kOn, .labels = "full-vram") {
  NoRoom();
}

KFD_TEST_F(Prefetch, NoRoomNoRetry, FullTest,
           .property = "with XNACK off, too, a full GPU loses nothing and works again when freed",
           .rules = "PRE-10", .needs = {Capability::kSvm, Capability::kPagemap},
           .xnack = Xnack::kOff, .labels = "full-vram") {
  NoRoom();
}

KFD_TEST_F(Prefetch, GpuReadsWhatFoundNoRoom, FullTest,
           .property = "a GPU reads and writes what found no room in its memory",
           .rules = "PRE-10 SVM-17", .needs = {Capability::kSvm, Capability::kPagemap},
           .labels = "full-vram") {
  MigratedBuffer buffer(PagesOf(8 * kMiB));
  Allow(buffer.All(), {node()});
  Work();
  TakenVram taken(thunk(), gpu());
  Set(buffer.All(), {Prefetch(node())});
  EXPECT_NE(buffer.Where(), InVram(buffer.page_count())) << "there was room";
  ExpectGpuReads(buffer);
  GpuWrites(buffer, 77, 0x77777777);
  buffer.ExpectIntact();
}

KFD_TEST_F(Prefetch, EvictedForAllocations, FullTest,
           .property =
               "memory that a GPU needs for allocations is taken from prefetched pages, "
               "which go to system memory with their contents; that is reported as "
               "triggered by eviction",
           .rules = "PRE-10 PRE-11", .needs = {Capability::kSvm, Capability::kPagemap},
           .labels = "full-vram") {
  MigratedBuffer buffer(PagesOf(8 * kMiB));
  EXPECT_EQ(Set(buffer.All(), {Access(node()), Prefetch(node())}), HSAKMT_STATUS_SUCCESS);
  GpuWrites(buffer, 5, 0x5E5E5E5E);
  ASSERT_EQ(buffer.Where(), InVram(buffer.page_count()));
  SmiWatch watch = WatchMigrations();
  {
    const TakenVram taken(thunk(), gpu());
    const std::vector<std::string> migrations = Migrations(watch, buffer);
    ASSERT_FALSE(migrations.empty());
    for (const std::string& line : migrations) {
      EXPECT_NE(line.find(" gpu>system eviction"), std::string::npos) << line;
    }
    EXPECT_NE(buffer.Where(), InVram(buffer.page_count()));
    ExpectGpuReads(buffer);
  }
  MoveTo(buffer.All(), node());
  EXPECT_EQ(buffer.Where(), InVram(buffer.page_count()));
  buffer.ExpectIntact();
}

KFD_TEST_F(Prefetch, EvictedForOneAnother, FullTest,
           .property =
               "buffers that do not fit into a GPU's memory at once make room for one "
               "another, and none loses a byte",
           .rules = "PRE-10", .needs = {Capability::kSvm, Capability::kPagemap},
           .labels = "full-vram") {
  std::vector<std::unique_ptr<MigratedBuffer>> buffers;
  for (int i = 0; i < 5; ++i) {
    buffers.push_back(std::make_unique<MigratedBuffer>(PagesOf(4 * kMiB)));
    Allow(buffers.back()->All(), {node()});
    buffers.back()->Write(3, 0xAA000000U + static_cast<std::uint32_t>(i));
  }
  Work();
  TakenVram taken(thunk(), gpu());
  taken.Free(10 * kMiB);
  MoveTo(buffers.front()->All(), node());
  EXPECT_EQ(buffers.front()->Where(), InVram(buffers.front()->page_count()));
  for (int round = 0; round < 2; ++round) {
    for (const auto& buffer : buffers) {
      Set(buffer->All(), {Prefetch(node())});
      ExpectGpuReads(*buffer);
    }
  }
  const auto evicted = std::count_if(buffers.begin(), buffers.end(), [](const auto& buffer) {
    return buffer->Where() != InVram(buffer->page_count());
  });
  EXPECT_GT(evicted, 0) << "all had room at once";
  for (const auto& buffer : buffers) buffer->ExpectIntact();
}

KFD_TEST_F(Prefetch, MoreThanThereIs, FullTest,
           .property = "a prefetch of more than the GPU's memory holds loses no byte",
           .rules = "PRE-10 PRE-8", .needs = {Capability::kSvm, Capability::kPagemap},
           .time_limit = std::chrono::seconds(180), .labels = "full-vram") {
  const std::size_t vram = gpu().facts.vram_bytes;
  if (vram > 192 * kMiB) {
    throw harness::CapabilityMissing("small-vram", "the GPU has more than 192 MiB of memory");
  }
  const MigratedBuffer buffer(PagesOf(vram + vram / 4));
  Allow(buffer.All(), {node()});
  Set(buffer.All(), {Prefetch(node())});
  const std::string where = buffer.Where();
  EXPECT_NE(where.find('v'), std::string::npos);
  EXPECT_EQ(where.find_first_not_of("vm"), std::string::npos);
  buffer.ExpectIntact();
  EXPECT_EQ(buffer.Where().find('v'), std::string::npos);
}

}  // namespace kfdcts::suites
