// With XNACK off a change by the CPU stops the process's queues for a while; many changes and many
// queues must not lose one.
#include <sys/mman.h>

#include <memory>

#include "suites/support/event_log.h"
#include "suites/support/threads.h"
#include "suites/svm_range/sharing_test.h"

namespace kfdcts::suites {
namespace {

constexpr std::size_t kPages = 16;
constexpr int kQueues = 6;
constexpr int kChanges = 20;

class EvictionTest : public SharingTest {};

}  // namespace

KFD_TEST_F(SVMRange, EvictionStorm, EvictionTest,
           .property =
               "while the CPU changes a range again and again, each of many queues does all "
               "its work, and queues are let run as often as they were stopped; XNACK off",
           .rules = "SVM-15 SVM-19", .guards = "BUG-44", .needs = {Capability::kSvm},
           .process = Process::kFresh, .xnack = harness::Xnack::kOff, .labels = "reset") {
  const SvmMemory memory(kPages);
  Share(memory, Placement::kSystem, 1);
  std::vector<std::unique_ptr<GpuWork>> works;
  for (int i = 0; i < kQueues; ++i) {
    works.push_back(
        std::make_unique<GpuWork>(thunk(), gpu(), i % 2 == 0 ? Engine::kSdma : Engine::kPm4));
  }
  EventLog events(thunk(), gpu(), kQueueEvents);
  InThreads(kQueues + 1, [&](int id) {
    for (int round = 1; round <= kChanges; ++round) {
      if (id == kQueues) {
        EXPECT_EQ(mprotect(memory.Word(8), 8 * PageSize(),
                           round % 2 == 0 ? PROT_READ | PROT_WRITE : PROT_READ),
                  0);
      } else {
        ASSERT_TRUE(Done(works[static_cast<std::size_t>(id)]->Write(
            memory.Word(static_cast<std::size_t>(id)), static_cast<std::uint32_t>(round))));
      }
    }
  });
  for (std::size_t id = 0; id < kQueues; ++id) {
    EXPECT_EQ(*memory.Word(id), static_cast<std::uint32_t>(kChanges)) << "queue " << id;
  }
  ASSERT_TRUE(Done(works[0]->Write(memory.Word(0), 1)));
  ASSERT_TRUE(events.WaitForQueuesBack()) << events.Text();
  EXPECT_EQ(events.Count(KFD_SMI_EVENT_QUEUE_EVICTION),
            events.Count(KFD_SMI_EVENT_QUEUE_RESTORE, IsBack))
      << events.Text();
}

}  // namespace kfdcts::suites
