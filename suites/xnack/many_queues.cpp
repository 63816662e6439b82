// Faults of many queues, and faults on what is gone.
#include <sys/mman.h>

#include <memory>
#include <vector>

#include "suites/xnack/xnack_test.h"

namespace kfdcts::suites {
namespace {

struct CrowdCase {
  std::string_view name;
  std::size_t stride;  ///< Pages between the words of two queues.
};

constexpr CrowdCase kCrowds[] = {{"one_page", 0}, {"one_granule", 3}, {"many_granules", kGranule}};

constexpr std::size_t kQueues = 8;

class Crowd : public XnackTest {
 protected:
  void TearDown() override {
    queues_.clear();
    XnackTest::TearDown();
  }

  void MakeQueues(std::size_t gpus) {
    for (std::size_t i = 0; i < kQueues; ++i) {
      queues_.push_back(std::make_unique<GpuWork>(
          thunk(), gpu(i % gpus), (i / gpus) % 2 == 0 ? Engine::kSdma : Engine::kPm4));
    }
  }

  /// Each queue adds its own number to a word of its own, all at once, and ends.
  void AddAll(const SvmMemory& memory, std::size_t stride) {
    std::vector<GpuWork::Ticket> tickets;
    for (std::size_t i = 0; i < kQueues; ++i) {
      tickets.push_back(
          queues_[i]->StartAtomic(AtomicOp::kAdd32, WordOf(memory, i, stride), i + 1));
    }
    for (std::size_t i = 0; i < kQueues; ++i) EXPECT_TRUE(Done(queues_[i]->Finish(tickets[i])));
  }

  static std::uint32_t* WordOf(const SvmMemory& memory, std::size_t i, std::size_t stride) {
    return memory.Word(i * stride) + i;
  }

  std::vector<std::unique_ptr<GpuWork>> queues_;
};

}  // namespace

KFD_TEST_CASES_F(XNACK, ManyQueuesFault, Crowd, kCrowds,
                 .property =
                     "faults of many queues at once, on one page or many, each end: every "
                     "queue's work is done once",
                 .rules = "XNK-11", .needs = {Capability::kSvm}, .xnack = Xnack::kOn) {
  MakeQueues(1);
  const SvmMemory memory(param().stride * kQueues + 1);
  memory.FillPattern(1);
  for (std::uint32_t round = 1; round <= 5; ++round) {
    for (std::size_t i = 0; i < kQueues; ++i) *WordOf(memory, i, param().stride) = 1000;
    AddAll(memory, param().stride);
    for (std::size_t i = 0; i < kQueues; ++i) {
      EXPECT_EQ(*WordOf(memory, i, param().stride), 1001 + i) << "round " << round;
    }
  }
}

KFD_TEST_F(XNACK, TwoGpusFaultOnOnePage, Crowd,
           .property =
               "queues of two GPUs that fault on one page at once all end, and no write is "
               "lost",
           .rules = "XNK-11 XNK-5", .scope = Scope::kEachGpuPair, .needs = {Capability::kSvm},
           .xnack = Xnack::kOn) {
  MakeQueues(2);
  const SvmMemory memory(1);
  for (std::size_t i = 0; i < kQueues; ++i) *WordOf(memory, i, 0) = 1000;
  AddAll(memory, 0);
  for (std::size_t i = 0; i < kQueues; ++i) EXPECT_EQ(*WordOf(memory, i, 0), 1001 + i);
}

KFD_TEST_F(
    XNACK, FaultsAreAnsweredOnce, Crowd,
    .property = "one access of one queue to one page is one fault, which moves the data once",
    .rules = "XNK-11", .scope = Scope::kFirstGpu, .needs = {Capability::kSvm},
    .process = Process::kFresh, .xnack = Xnack::kOn) {
  const SvmMemory memory(4);
  memory.FillPattern(1);
  Work();
  EventLog events(thunk(), gpu());
  for (std::uint32_t round = 0; round < 5; ++round) {
    ASSERT_TRUE(Done(Work().Write(memory.Word(1), round)));
    EXPECT_EQ(*memory.Word(1), round);
    ASSERT_TRUE(events.WaitFor(KFD_SMI_EVENT_PAGE_FAULT_END, round + 1)) << events.Text();
  }
  EXPECT_EQ(events.Count(KFD_SMI_EVENT_PAGE_FAULT_START), 5U) << events.Text();
}

KFD_TEST_F(XNACK, AddressUsedAgain, Crowd,
           .property =
               "memory unmapped and mapped anew at its address right after the GPU used it is "
               "new memory for the GPU, too",
           .rules = "XNK-11 XNK-3 SVM-14", .needs = {Capability::kSvm}, .process = Process::kFresh,
           .xnack = Xnack::kOn, .time_limit = std::chrono::seconds(120)) {
  const SvmMemory memory(16);
  for (std::uint32_t round = 1; round <= 20; ++round) {
    ASSERT_TRUE(Done(Work().Fill(memory.All().data(), round, memory.All().size())));
    MapAnew(memory.All());
    EXPECT_EQ(GpuRead(memory.Word(7)), 0U) << round;
    *memory.Word(8) = round + 100;
    EXPECT_EQ(GpuRead(memory.Word(8)), round + 100);
  }
}

KFD_TEST_F(XNACK, UnmapUnderFaults, Crowd,
           .property =
               "memory that is unmapped while queues fault on its neighbours takes nothing "
               "from them, and its end is not held up",
           .rules = "XNK-11", .scope = Scope::kFirstGpu, .needs = {Capability::kSvm},
           .process = Process::kFresh, .xnack = Xnack::kOn) {
  MakeQueues(1);
  for (std::uint32_t round = 0; round < 10; ++round) {
    SvmMemory memory(64);
    memory.FillPattern(round);
    ASSERT_TRUE(Done(queues_[0]->Write(memory.Word(40), 1)));
    std::vector<GpuWork::Ticket> tickets;
    for (std::size_t i = 0; i < kQueues; ++i) {
      tickets.push_back(queues_[i]->StartWrite(memory.Word(i), 0x5000 + round));
    }
    memory.Unmap(32, 32);
    for (std::size_t i = 0; i < kQueues; ++i) {
      ASSERT_TRUE(Done(queues_[i]->Finish(tickets[i])));
      EXPECT_EQ(*memory.Word(i), 0x5000 + round);
    }
    memory.ExpectPattern(round, kQueues, 32 - kQueues);
  }
}

}  // namespace kfdcts::suites
