// Migrations that the device does not get on with.
#include <optional>

#include "suites/races/race_test.h"

namespace kfdcts::suites {
namespace {

constexpr std::size_t kPages = 64;

class HeldCopies : public RaceTest {
 protected:
  void TearDown() override {
    hold_.reset();
    prefetch_.reset();
    RaceTest::TearDown();
  }

  /// A prefetch to the GPU in a thread, whose copies are held.
  void StartPrefetch() {
    memory_.FillPattern(2);
    ASSERT_EQ(Set(memory_.All(), {Access(gpu().node_id)}), HSAKMT_STATUS_SUCCESS);
    prefetch_.emplace([this] { prefetched_ = Set(memory_.All(), {Prefetch(gpu().node_id)}); });
    hold_.emplace(Device().HoldCopies());
    prefetch_->Start();
    ASSERT_TRUE(WaitForHeldCopies());
  }
  void EndPrefetch() {
    hold_->Release();
    ASSERT_TRUE(prefetch_->Ends());
    EXPECT_EQ(prefetched_, HSAKMT_STATUS_SUCCESS);
  }

  SvmMemory& memory_ = Own(kPages);
  HSAKMT_STATUS prefetched_ = HSAKMT_STATUS_ERROR;
  std::optional<Aside> prefetch_;
  std::optional<DirectorHold> hold_;
};

/// A set that comes while the prefetch's copies are held, and where the pages are at the end.
struct SetCase {
  std::string_view name;
  std::size_t first, count;
  HSA_SVM_ATTRIBUTE (*attribute)(HSAuint32 cpu, HSAuint32 gpu);
  bool back;  ///< These pages are in system memory in the end.
};

constexpr SetCase kSets[] = {
    {"granularity_of_all", 0, kPages, [](HSAuint32, HSAuint32) { return Granularity(4); }, false},
    {"granularity_of_a_part", 16, 8, [](HSAuint32, HSAuint32) { return Granularity(4); }, false},
    {"prefetch_back_of_all", 0, kPages, [](HSAuint32 cpu, HSAuint32) { return Prefetch(cpu); },
     true},
    {"prefetch_back_of_a_part", 16, 8, [](HSAuint32 cpu, HSAuint32) { return Prefetch(cpu); },
     true},
    {"prefetch_of_the_same", 0, kPages, [](HSAuint32, HSAuint32 gpu) { return Prefetch(gpu); },
     false},
    {"preferred_of_a_part", 16, 8, [](HSAuint32 cpu, HSAuint32) { return Preferred(cpu); }, false},
};

}  // namespace

KFD_TEST_CASES_F(SVMRange, SetDuringMigration, HeldCopies, kSets,
                 .property =
                     "a set that comes while a prefetch copies is done after it, on all that "
                     "the prefetch left: attributes, places and data are of both",
                 .rules = "SVM-19 SVM-5 PRE-1 PRE-4", .scope = Scope::kFirstGpu,
                 .needs = {Capability::kSvm, Capability::kPagemap, Capability::kDirector},
                 .process = Process::kFresh, .time_limit = kRaceLimit) {
  const SetCase& one = param();
  const auto part = memory_.Pages(one.first, one.count);
  HSAKMT_STATUS status = HSAKMT_STATUS_ERROR;
  Aside second([&] { status = Set(part, {one.attribute(cpu_node(), gpu().node_id)}); });
  ASSERT_NO_FATAL_FAILURE(StartPrefetch());
  second.Start();
  ASSERT_TRUE(second.Blocks());
  ASSERT_NO_FATAL_FAILURE(EndPrefetch());
  ASSERT_TRUE(second.Ends());
  EXPECT_EQ(status, HSAKMT_STATUS_SUCCESS);
  std::string expected(kPages, 'v');
  if (one.back) expected.replace(one.first, one.count, one.count, 'm');
  EXPECT_EQ(Residency(memory_.All()), expected);
  const HSA_SVM_ATTRIBUTE set = one.attribute(cpu_node(), gpu().node_id);
  const SvmState state = StateOf(part);
  if (set.type == HSA_SVM_ATTR_GRANULARITY) {
    EXPECT_EQ(state.granularity, set.value);
  }
  if (set.type == HSA_SVM_ATTR_PREFERRED_LOC) {
    EXPECT_EQ(state.preferred, set.value);
  }
  EXPECT_EQ(state.prefetch, set.type == HSA_SVM_ATTR_PREFETCH_LOC ? set.value : gpu().node_id);
  memory_.ExpectPattern(2);
}

KFD_TEST_F(Prefetch, CpuTouchDuringPrefetch, HeldCopies,
           .property =
               "a CPU write to a page that is on its way to the GPU waits for it, brings it "
               "back and is not lost",
           .rules = "PRE-5 PRE-1 SVM-19", .scope = Scope::kFirstGpu,
           .needs = {Capability::kSvm, Capability::kPagemap, Capability::kDirector},
           .process = Process::kFresh, .time_limit = kRaceLimit) {
  Aside touch([this] { gpu::StoreRelease(memory_.Word(20) + 1, 0x70C4U); });
  ASSERT_NO_FATAL_FAILURE(StartPrefetch());
  touch.Start();
  ASSERT_TRUE(touch.Blocks());
  ASSERT_NO_FATAL_FAILURE(EndPrefetch());
  ASSERT_TRUE(touch.Ends());
  EXPECT_EQ(Residency(memory_.Pages(20)), "m");
  EXPECT_EQ(memory_.Word(20)[1], 0x70C4U);
  EXPECT_EQ(StateOf(memory_.All()).prefetch, gpu().node_id);
  memory_.ExpectPattern(2, 0, 20);
  memory_.ExpectPattern(2, 21, kPages - 21);
}

KFD_TEST_F(Prefetch, UnmapDuringPrefetch, HeldCopies,
           .property =
               "munmap of a part of what a prefetch copies ends with it; the rest is on the "
               "GPU with its data and attributes",
           .rules = "SVM-14 SVM-19 PRE-1", .scope = Scope::kFirstGpu,
           .needs = {Capability::kSvm, Capability::kPagemap, Capability::kDirector},
           .process = Process::kFresh, .time_limit = kRaceLimit) {
  Aside unmap([this] { memory_.Unmap(16, 16); });
  ASSERT_NO_FATAL_FAILURE(StartPrefetch());
  unmap.Start();
  ASSERT_TRUE(unmap.Blocks());
  ASSERT_NO_FATAL_FAILURE(EndPrefetch());
  ASSERT_TRUE(unmap.Ends());
  EXPECT_EQ(Residency(memory_.Pages(0, 16)), std::string(16, 'v'));
  EXPECT_EQ(Residency(memory_.Pages(32, 32)), std::string(32, 'v'));
  EXPECT_EQ(StateOf(memory_.Pages(0, 16)).prefetch, gpu().node_id);
  EXPECT_EQ(StateOf(memory_.Pages(32, 32)).prefetch, gpu().node_id);
  memory_.ExpectPattern(2, 0, 16);
  memory_.ExpectPattern(2, 32, 32);
}

KFD_TEST_F(Prefetch, LostFenceInterrupt, HeldCopies,
           .property =
               "a prefetch whose copies' interrupts are lost ends all the same, with the data "
               "moved",
           .rules = "PRE-1 XNK-11", .scope = Scope::kFirstGpu,
           .needs = {Capability::kSvm, Capability::kPagemap, Capability::kDirector},
           .process = Process::kFresh, .time_limit = kRaceLimit) {
  ASSERT_NO_FATAL_FAILURE(StartPrefetch());
  const std::uint64_t dropped = Device().Counters().interrupts_dropped;
  Device().DropInterrupts(1000);
  EndPrefetch();
  Device().DropInterrupts(0);
  EXPECT_GT(Device().Counters().interrupts_dropped, dropped);
  EXPECT_EQ(Residency(memory_.All()), std::string(kPages, 'v'));
  memory_.ExpectPattern(2);
}

KFD_TEST_F(Prefetch, LateFenceInterrupt, HeldCopies,
           .property =
               "interrupts of a prefetch's copies that come after the memory was unmapped do "
               "no harm",
           .rules = "PRE-1 SVM-14", .scope = Scope::kFirstGpu,
           .needs = {Capability::kSvm, Capability::kPagemap, Capability::kDirector},
           .process = Process::kFresh, .time_limit = kRaceLimit) {
  ASSERT_NO_FATAL_FAILURE(StartPrefetch());
  DirectorHold interrupts = Device().HoldInterrupts();
  ASSERT_NO_FATAL_FAILURE(EndPrefetch());
  EXPECT_EQ(Residency(memory_.All()), std::string(kPages, 'v'));
  memory_.Unmap(0, 32);
  interrupts.Release();
  memory_.ExpectPattern(2, 32, 32);
  const SvmMemory other(4);
  other.FillPattern(3);
  ASSERT_EQ(Set(other.All(), {Access(gpu().node_id), Prefetch(gpu().node_id)}),
            HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Residency(other.All()), "vvvv");
  other.ExpectPattern(3);
}

}  // namespace kfdcts::suites
