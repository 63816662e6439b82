// Migrations as the system management interface reports them.
#include <linux/kfd_ioctl.h>

#include "suites/prefetch/prefetch_test.h"

namespace kfdcts::suites {
namespace {

using Lines = std::vector<std::string>;

class EventTest : public PrefetchTest {
 protected:
  // The test's GPU is to have its pages where another has none.
  void OnGpu(const MigratedBuffer& buffer, HSAuint32 granularity) {
    EXPECT_EQ(Set(buffer.All(), {Access(node()), Granularity(granularity), Prefetch(node())}),
              HSAKMT_STATUS_SUCCESS);
    ASSERT_EQ(buffer.Where(), InVram(buffer.page_count()));
  }

  void ThereAndBack() {
    const MigratedBuffer buffer(16);
    Allow(buffer.All(), {node()});
    SmiWatch watch = WatchMigrations();
    MoveTo(buffer.All(), node());
    EXPECT_EQ(Migrations(watch, buffer),
              (Lines{"start 0-15 system>gpu prefetch", "end 0-15 system>gpu prefetch"}));
    ExpectGpuReads(buffer);
    EXPECT_EQ(Migrations(watch, buffer), Lines{}) << "the GPU's use of what is there";
    MoveTo(buffer.All(), cpu_node());
    EXPECT_EQ(Migrations(watch, buffer),
              (Lines{"start 0-15 gpu>system prefetch", "end 0-15 gpu>system prefetch"}));
    buffer.ExpectIntact();
  }

  void CpuFault() {
    const MigratedBuffer buffer(16);
    OnGpu(buffer, 2);
    SmiWatch watch = WatchMigrations();
    EXPECT_EQ(gpu::LoadAcquire(buffer.Word(9)), buffer.ExpectedWord(9));
    EXPECT_EQ(Migrations(watch, buffer),
              (Lines{"start 8-11 gpu>system cpu_fault", "end 8-11 gpu>system cpu_fault"}));
    EXPECT_EQ(gpu::LoadAcquire(buffer.Word(8)), buffer.ExpectedWord(8));
    EXPECT_EQ(Migrations(watch, buffer), Lines{});
  }
};

}  // namespace

KFD_TEST_F(Prefetch, EventsOfPrefetch, EventTest,
           .property =
               "a prefetch is reported as one migration, its start and its end, with the "
               "pages, the trigger and from where to where; the GPU's use of them makes none",
           .rules = "PRE-11 SVM-16", .needs = {Capability::kSvm, Capability::kPagemap},
           .xnack = Xnack::kOn) {
  ThereAndBack();
}

KFD_TEST_F(Prefetch, EventsOfPrefetchNoRetry, EventTest,
           .property = "with XNACK off, too, a prefetch is reported", .rules = "PRE-11 SVM-16",
           .needs = {Capability::kSvm, Capability::kPagemap}, .xnack = Xnack::kOff) {
  ThereAndBack();
}

KFD_TEST_F(Prefetch, EventsOfCpuFault, EventTest,
           .property =
               "the window that the CPU's access brings back is reported as triggered by "
               "the CPU's page fault, and a second access as nothing",
           .rules = "PRE-11 PRE-5", .needs = {Capability::kSvm, Capability::kPagemap},
           .xnack = Xnack::kOn) {
  CpuFault();
}

KFD_TEST_F(Prefetch, EventsOfCpuFaultNoRetry, EventTest,
           .property = "with XNACK off, too, the CPU's page fault is the trigger reported",
           .rules = "PRE-11 PRE-5", .needs = {Capability::kSvm, Capability::kPagemap},
           .xnack = Xnack::kOff) {
  CpuFault();
}

KFD_TEST_F(Prefetch, EventsOfGpuFault, EventTest,
           .property =
               "pages that a GPU's access brings to it are reported as triggered by the "
               "GPU's page fault",
           .rules = "PRE-11 XNK-3", .needs = {Capability::kSvm, Capability::kPagemap},
           .xnack = Xnack::kOn) {
  MigratedBuffer buffer(16);
  Allow(buffer.All(), {node()});
  Work();
  SmiWatch watch = WatchMigrations();
  GpuWrites(buffer, 5, 0x5A5A5A5A);
  EXPECT_EQ(Migrations(watch, buffer),
            (Lines{"start 0-15 system>gpu gpu_fault", "end 0-15 system>gpu gpu_fault"}));
  EXPECT_EQ(buffer.Where(), InVram(16));
  buffer.ExpectIntact();
}

KFD_TEST_F(Prefetch, EventsFromGpuToGpu, EventTest,
           .property =
               "a prefetch from one GPU to another is reported by both, by way of system "
               "memory or at once",
           .rules = "PRE-11 PRE-9", .scope = Scope::kEachGpuPair,
           .needs = {Capability::kSvm, Capability::kPagemap}) {
  const MigratedBuffer buffer(8);
  EXPECT_EQ(Set(buffer.All(), {NoAccess(node(0)), NoAccess(node(1)), Prefetch(node(0))}),
            HSAKMT_STATUS_SUCCESS);
  SmiWatch first = WatchMigrations(0), second = WatchMigrations(1);
  MoveTo(buffer.All(), node(1));
  const Lines from = Migrations(first, buffer), to = Migrations(second, buffer);
  if (from.empty()) {
    EXPECT_EQ(to, (Lines{"start 0-7 gpu>other prefetch", "end 0-7 gpu>other prefetch"}));
  } else {
    EXPECT_EQ(from, (Lines{"start 0-7 gpu>system prefetch", "end 0-7 gpu>system prefetch"}));
    EXPECT_EQ(to, (Lines{"start 0-7 system>other prefetch", "end 0-7 system>other prefetch"}));
  }
  buffer.ExpectIntact();
}

KFD_TEST_F(Prefetch, EventsOfOtherGpusOnly, EventTest,
           .property = "a GPU that takes no part in a migration reports none", .rules = "PRE-11",
           .scope = Scope::kEachGpuPair, .needs = {Capability::kSvm, Capability::kPagemap}) {
  const MigratedBuffer buffer(8);
  SmiWatch other = WatchMigrations(1);
  EXPECT_EQ(Set(buffer.All(), {NoAccess(node(1)), Prefetch(node(0))}), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(buffer.Where(), InVram(8));
  buffer.ExpectIntact();
  EXPECT_EQ(Migrations(other, buffer), Lines{});
}

KFD_TEST_F(Prefetch, EventsWherePagesStay, EventTest,
           .property = "a prefetch to the CPU's node of pages that are there is no migration",
           .rules = "PRE-11 PRE-9", .needs = {Capability::kSvm, Capability::kPagemap}) {
  const MigratedBuffer buffer(8);
  Allow(buffer.All(), {node()});
  SmiWatch watch = WatchMigrations();
  MoveTo(buffer.All(), cpu_node());
  EXPECT_EQ(Set(buffer.All(), {Preferred(node())}), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Migrations(watch, buffer), Lines{});
}

}  // namespace kfdcts::suites
