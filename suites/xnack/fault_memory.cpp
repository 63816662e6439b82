// Memory of every kind that nobody registered, and the GPU's access to it.
#include <unistd.h>

#include <vector>

#include "suites/xnack/xnack_test.h"

namespace kfdcts::suites {
namespace {

struct MemoryCase {
  std::string_view name;
  SvmMemory::Kind kind;
  Engine engine;
};

constexpr MemoryCase kMemories[] = {
    {"anonymous_sdma", SvmMemory::Kind::kAnonymous, Engine::kSdma},
    {"anonymous_pm4", SvmMemory::Kind::kAnonymous, Engine::kPm4},
    {"shared_sdma", SvmMemory::Kind::kShared, Engine::kSdma},
    {"shared_pm4", SvmMemory::Kind::kShared, Engine::kPm4},
    {"private_file_sdma", SvmMemory::Kind::kFilePrivate, Engine::kSdma},
    {"private_file_pm4", SvmMemory::Kind::kFilePrivate, Engine::kPm4},
    {"shared_file_sdma", SvmMemory::Kind::kFileShared, Engine::kSdma},
    {"shared_file_pm4", SvmMemory::Kind::kFileShared, Engine::kPm4},
    {"huge_sdma", SvmMemory::Kind::kHuge, Engine::kSdma},
    {"huge_pm4", SvmMemory::Kind::kHuge, Engine::kPm4},
};

/// Memory of the initial heap: what brk(2) gave.
bool IsOfHeap(const void* address) {
  const auto* const end = static_cast<const std::byte*>(sbrk(0));
  return address < end && end - static_cast<const std::byte*>(address) < (std::ptrdiff_t{1} << 30);
}

}  // namespace

KFD_TEST_CASES_F(XNACK, FaultOnMemory, XnackTest, kMemories,
                 .property =
                     "a GPU reads what the CPU wrote to memory never registered, and the "
                     "CPU reads what the GPU wrote",
                 .rules = "XNK-3 SVM-17", .needs = {Capability::kSvm}, .xnack = Xnack::kOn) {
  const SvmMemory memory(8, param().kind);
  memory.FillPattern(3);
  GpuWork& work = Work(0, param().engine);
  const std::uint32_t second = memory.Word(2)[1];
  std::uint32_t value = 0;
  ASSERT_TRUE(Done(work.Read(memory.Word(2) + 1, value)));
  EXPECT_EQ(value, second);
  ASSERT_TRUE(Done(work.Write(memory.Word(5), 0xCAFE)));
  EXPECT_EQ(*memory.Word(5), 0xCAFEU);
  memory.ExpectPattern(3, 0, 5);
  memory.ExpectPattern(3, 6, 2);
}

KFD_TEST_CASES_F(XNACK, FaultOnUntouchedMemory, XnackTest, kMemories,
                 .property =
                     "memory that nobody touched yet is zero for the GPU, and can be "
                     "written by it",
                 .rules = "XNK-3", .needs = {Capability::kSvm}, .xnack = Xnack::kOn) {
  const SvmMemory memory(8, param().kind);
  GpuWork& work = Work(0, param().engine);
  std::uint32_t value = 1;
  ASSERT_TRUE(Done(work.Read(memory.Word(1), value)));
  EXPECT_EQ(value, 0U);
  ASSERT_TRUE(Done(work.Write(memory.Word(6), 0xBEEF)));
  EXPECT_EQ(*memory.Word(6), 0xBEEFU);
  EXPECT_EQ(*memory.Word(7), 0U);
}

KFD_TEST_F(XNACK, FaultOfAnAtomic, XnackTest,
           .property = "an atomic operation that faults is done exactly once",
           .rules = "XNK-3 XNK-11", .needs = {Capability::kSvm}, .xnack = Xnack::kOn) {
  const SvmMemory memory(16);
  for (std::size_t page = 0; page < memory.page_count(); ++page) {
    *memory.Word(page) = 100;
    EXPECT_TRUE(Done(Work().Atomic(AtomicOp::kAdd32, memory.Word(page), 7)));
    EXPECT_EQ(*memory.Word(page), 107U) << "page " << page;
  }
}

KFD_TEST_F(XNACK, FaultAcrossGranules, XnackTest,
           .property = "one copy over many granules, all unmapped, ends with every byte right",
           .rules = "XNK-3", .scope = Scope::kFirstGpu, .needs = {Capability::kSvm},
           .xnack = Xnack::kOn) {
  const SvmMemory source(3 * kGranule + 5), destination(3 * kGranule + 5);
  source.FillPattern(4);
  ASSERT_TRUE(
      Done(Work().Copy(destination.All().data(), source.All().data(), source.All().size())));
  destination.ExpectPattern(4);
  source.ExpectPattern(4);
}

KFD_TEST_F(XNACK, HeapPrefersSystemMemory, XnackTest,
           .property = "a fault on the heap makes a range that prefers system memory, and stays",
           .rules = "XNK-3", .scope = Scope::kFirstGpu,
           .needs = {Capability::kSvm, Capability::kPagemap}, .process = Process::kFresh,
           .xnack = Xnack::kOn) {
  std::vector<std::byte> block(3 * PageSize());  // too small for a mapping of its own
  const auto at = reinterpret_cast<std::uintptr_t>(block.data()) + PageSize();
  auto* const page = reinterpret_cast<std::byte*>(at - at % PageSize());
  auto* const word = reinterpret_cast<std::uint32_t*>(page);
  ASSERT_TRUE(IsOfHeap(word));
  *word = 5;
  EXPECT_TRUE(Done(Work().Atomic(AtomicOp::kAdd32, word, 6)));
  EXPECT_EQ(StateOf({page, PageSize()}), Defaults().WithPreferred(cpu_node()));
  EXPECT_EQ(Residency({page, PageSize()}), "m");
  EXPECT_EQ(*word, 11U);
}

KFD_TEST_F(XNACK, StackPrefersSystemMemory, XnackTest,
           .property = "a fault on the stack makes a range that prefers system memory, and stays",
           .rules = "XNK-3", .scope = Scope::kFirstGpu,
           .needs = {Capability::kSvm, Capability::kPagemap}, .process = Process::kFresh,
           .xnack = Xnack::kOn) {
  volatile std::uint32_t word = 5;
  const auto at = reinterpret_cast<std::uintptr_t>(&word);
  auto* const page = reinterpret_cast<std::byte*>(at - at % PageSize());
  EXPECT_TRUE(Done(Work().Atomic(AtomicOp::kAdd32, const_cast<std::uint32_t*>(&word), 6)));
  EXPECT_EQ(StateOf({page, PageSize()}), Defaults().WithPreferred(cpu_node()));
  EXPECT_EQ(Residency({page, PageSize()}), "m");
  EXPECT_EQ(word, 11U);
}

KFD_TEST_F(XNACK, FaultIsReported, XnackTest,
           .property =
               "a fault is reported at its beginning, with its page and kind of access, and "
               "at its end, with whether the data moved",
           .rules = "XNK-3", .needs = {Capability::kSvm}, .xnack = Xnack::kOn) {
  const SvmMemory memory(8);
  memory.FillPattern(5);
  Work();
  EventLog events(thunk(), gpu());
  ASSERT_TRUE(Done(Work().Write(memory.Word(5), 1)));
  ASSERT_TRUE(events.WaitFor(KFD_SMI_EVENT_PAGE_FAULT_END)) << events.Text();
  for (const gpu::SmiEvent& event : events.All()) {
    if (event.type != KFD_SMI_EVENT_PAGE_FAULT_START && event.type != KFD_SMI_EVENT_PAGE_FAULT_END)
      continue;
    EXPECT_EQ(event.address, reinterpret_cast<std::uintptr_t>(memory.Word(5))) << events.Text();
    EXPECT_EQ(event.process, static_cast<std::uint32_t>(getpid()));
    EXPECT_EQ(event.node, gpu().gpu_id);
    EXPECT_EQ(event.access, event.type == KFD_SMI_EVENT_PAGE_FAULT_START ? 'W' : 'M');
  }
  EXPECT_EQ(events.Count(KFD_SMI_EVENT_PAGE_FAULT_START), 1U) << events.Text();
  EXPECT_EQ(events.Count(KFD_SMI_EVENT_MIGRATE_END,
                         [&](const gpu::SmiEvent& event) {
                           return event.from == 0 && event.to == gpu().gpu_id &&
                                  event.trigger == KFD_MIGRATE_TRIGGER_PAGEFAULT_GPU;
                         }),
            1U)
      << events.Text();
}

}  // namespace kfdcts::suites
