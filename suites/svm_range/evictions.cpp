// With XNACK off a change by the CPU stops the process's queues for a while; many changes and many
// queues must not lose one.
#include <linux/kfd_ioctl.h>
#include <sys/mman.h>

#include <algorithm>
#include <memory>

#include "suites/support/threads.h"
#include "suites/svm_range/sharing_test.h"

namespace kfdcts::suites {
namespace {

constexpr std::size_t kPages = 16;
constexpr int kQueues = 6;
constexpr int kChanges = 20;
constexpr std::uint64_t kEvictions = KFD_SMI_EVENT_MASK_FROM_INDEX(KFD_SMI_EVENT_QUEUE_EVICTION) |
                                     KFD_SMI_EVENT_MASK_FROM_INDEX(KFD_SMI_EVENT_QUEUE_RESTORE);

class EvictionTest : public SharingTest {};

std::size_t CountOf(const std::vector<gpu::SmiEvent>& events, std::uint32_t type) {
  return static_cast<std::size_t>(std::count_if(
      events.begin(), events.end(),
      [type](const gpu::SmiEvent& event) { return event.type == type && event.access != 'R'; }));
}

}  // namespace

KFD_TEST_F(SVMRange, EvictionStorm, EvictionTest,
           .property =
               "while the CPU changes a range again and again, each of many queues does all "
               "its work, and queues are let run as often as they were stopped; XNACK off",
           .rules = "SVM-15 SVM-19", .guards = "BUG-44", .needs = {Capability::kSvm},
           .process = Process::kFresh, .xnack = harness::Xnack::kOff) {
  const SvmMemory memory(kPages);
  Share(memory, Placement::kSystem, 1);
  std::vector<std::unique_ptr<GpuWork>> works;
  for (int i = 0; i < kQueues; ++i) {
    works.push_back(
        std::make_unique<GpuWork>(thunk(), gpu(), i % 2 == 0 ? Engine::kSdma : Engine::kPm4));
  }
  SmiWatch watch(thunk(), gpu(), kEvictions);
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
  const auto events = watch.Drain();
  EXPECT_GT(CountOf(events, KFD_SMI_EVENT_QUEUE_EVICTION), 0U);
  EXPECT_EQ(CountOf(events, KFD_SMI_EVENT_QUEUE_EVICTION),
            CountOf(events, KFD_SMI_EVENT_QUEUE_RESTORE));
}

}  // namespace kfdcts::suites
