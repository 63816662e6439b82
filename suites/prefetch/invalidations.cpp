// Changes to mapped memory with XNACK off: the queues stop for each, and go on.
#include <sys/mman.h>

#include "suites/prefetch/prefetch_test.h"
#include "suites/support/event_log.h"

namespace kfdcts::suites {
namespace {

enum class Change { kCpuTouch, kPrefetch, kDiscard, kProtect };
struct ChangeCase {
  std::string_view name;
  Change change;
};
constexpr ChangeCase kChanges[] = {{"cpu_touch", Change::kCpuTouch},
                                   {"prefetch", Change::kPrefetch},
                                   {"discard", Change::kDiscard},
                                   {"protect", Change::kProtect}};

class InvalidationTest : public PrefetchTest {
 protected:
  void Apply(Change change, MigratedBuffer& buffer) {
    const auto pages = buffer.Pages(2, 4);
    switch (change) {
      case Change::kCpuTouch:
        buffer.Write(3, gpu::LoadAcquire(buffer.Word(3)) + 1);
        return;
      case Change::kPrefetch:
        MoveTo(buffer.All(), cpu_node());
        return;
      case Change::kDiscard:
        ASSERT_EQ(madvise(pages.data(), pages.size(), MADV_DONTNEED), 0);
        buffer.ExpectZero(2, 4);
        return;
      case Change::kProtect:
        ASSERT_EQ(mprotect(pages.data(), pages.size(), PROT_READ), 0);
        ASSERT_EQ(mprotect(pages.data(), pages.size(), PROT_READ | PROT_WRITE), 0);
        return;
    }
  }
};

}  // namespace

KFD_TEST_CASES_F(Prefetch, QueuesStopAndGoOn, InvalidationTest, kChanges,
                 .property =
                     "with XNACK off the queues survive a storm of changes to mapped memory: "
                     "each eviction has its restore, and GPU and CPU agree all along",
                 .rules = "PRE-1 PRE-5 XNK-7", .guards = "BUG-44", .scope = Scope::kFirstGpu,
                 .needs = {Capability::kSvm, Capability::kPagemap}, .xnack = Xnack::kOff,
                 .time_limit = std::chrono::seconds(120)) {
  MigratedBuffer buffer(8);
  Allow(buffer.All(), {node()});
  Work(0, Engine::kSdma);
  Work(0, Engine::kPm4);
  EventLog events(thunk(), gpu(), kQueueEvents);
  for (std::uint32_t round = 0; round < 20 && !HasFailure(); ++round) {
    MoveTo(buffer.All(), node());
    GpuWrites(buffer, round % 8, 0x21000000U + round, 0,
              round % 2 == 0 ? Engine::kSdma : Engine::kPm4);
    Apply(param().change, buffer);
    ExpectGpuReads(buffer);
  }
  ASSERT_TRUE(events.WaitForQueuesBack()) << events.Text();
  EXPECT_EQ(events.Count(KFD_SMI_EVENT_QUEUE_EVICTION),
            events.Count(KFD_SMI_EVENT_QUEUE_RESTORE, IsBack))
      << events.Text();
  buffer.ExpectIntact();
}

}  // namespace kfdcts::suites
