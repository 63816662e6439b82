// Wrong arguments, and calls at the wrong time.
#include <sys/syscall.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <future>
#include <thread>

#include "harness/test_support/child.h"
#include "suites/support/memory_test.h"

namespace kfdcts::suites {
namespace {

// Each byte 0xa5 still.
bool Untouched(const HsaPointerInfo& answer) {
  std::array<unsigned char, sizeof(answer)> bytes;
  std::memcpy(bytes.data(), &answer, sizeof(answer));
  return std::all_of(bytes.begin(), bytes.end(), [](unsigned char byte) { return byte == 0xa5; });
}

HsaPointerInfo Filled() {
  HsaPointerInfo answer;
  std::memset(&answer, 0xa5, sizeof(answer));
  return answer;
}

}  // namespace

KFD_TEST_F(PointerInfo, NullOutput, MemoryTest,
           .property = "a null output is INVALID_PARAMETER, known address or not",
           .rules = "PTR-17", .scope = Scope::kFirstGpu) {
  const Allocation memory = Allocate(MemoryKind::kGtt);
  EXPECT_EQ(thunk().hsaKmtQueryPointerInfo(memory.address(), nullptr),
            HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(thunk().hsaKmtQueryPointerInfo(nullptr, nullptr), HSAKMT_STATUS_INVALID_PARAMETER);
}

KFD_TEST_F(PointerInfo, NotYetOpened, MemoryTest,
           .property = "with KFD not open a query fails and writes nothing",
           .rules = "PTR-2 PTR-17", .scope = Scope::kCpu, .kfd = KfdState::kClosed,
           .process = Process::kFresh) {
  HsaPointerInfo answer = Filled();
  EXPECT_EQ(thunk().hsaKmtQueryPointerInfo(&answer, &answer),
            HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
  EXPECT_TRUE(Untouched(answer));
}

KFD_TEST_F(PointerInfo, NotOpenedIsCheckedFirst, MemoryTest,
           .property = "with KFD not open a null output is KERNEL_IO_CHANNEL_NOT_OPENED",
           .rules = "PTR-17", .scope = Scope::kCpu, .kfd = KfdState::kClosed,
           .process = Process::kFresh) {
  EXPECT_EQ(thunk().hsaKmtQueryPointerInfo(&kEveryKind, nullptr),
            HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
}

KFD_TEST_F(PointerInfo, ClosedAgain, MemoryTest,
           .property = "once KFD is closed again a query fails and writes nothing",
           .rules = "PTR-2 PTR-17", .scope = Scope::kCpu, .needs = {Capability::kKfd},
           .kfd = KfdState::kClosed, .process = Process::kFresh) {
  OpenKfd();
  CloseKfd();
  HsaPointerInfo answer = Filled();
  EXPECT_EQ(thunk().hsaKmtQueryPointerInfo(&answer, &answer),
            HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
  EXPECT_TRUE(Untouched(answer));
}

KFD_TEST_F(
    PointerInfo, RefusedOpen, MemoryTest,
    .property = "where KFD does not open a query fails as with KFD closed, and writes nothing",
    .rules = "PTR-2 PTR-17", .scope = Scope::kCpu, .needs = {Capability::kTracer},
    .kfd = KfdState::kClosed, .process = Process::kTraced) {
  thunk();  // loads the library, which opens files
  for (const int call : {SYS_open, SYS_openat}) {
    tracer().FailAll(harness::SyscallMatch::Call(call), ENODEV);
  }
  EXPECT_EQ(thunk().hsaKmtOpenKFD(), HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
  tracer().Reset();
  HsaPointerInfo answer = Filled();
  EXPECT_EQ(thunk().hsaKmtQueryPointerInfo(&answer, &answer),
            HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
  EXPECT_TRUE(Untouched(answer));
}

KFD_TEST_F(PointerInfo, RegisteringVramIsRefused, MemoryTest,
           .property =
               "memory of hsaKmtAllocMemory cannot be registered as user memory; the object "
               "stays as it was and no lock is left held",
           .rules = "PTR-4 PTR-13", .guards = "BUG-25", .scope = Scope::kFirstGpu) {
  const Allocation memory = Allocate(MemoryKind::kVisibleVram);
  EXPECT_NE(thunk().hsaKmtRegisterMemory(memory.address(), memory.size()), HSAKMT_STATUS_SUCCESS);
  // Asked by another thread, so that a lock left held is a failure here and not a hang for ever.
  std::packaged_task<PointerInfo()> ask([&] { return Query(memory.address()); });
  std::future<PointerInfo> answer = ask.get_future();
  std::thread asker(std::move(ask));
  const bool answered = answer.wait_for(std::chrono::seconds(20)) == std::future_status::ready;
  if (!answered) {
    asker.detach();
    FAIL() << "the query does not return";
  }
  asker.join();
  EXPECT_EQ(answer.get().type, HSA_POINTER_ALLOCATED);
}

KFD_TEST_F(PointerInfo, ForkedChildHasNothingOpen, MemoryTest,
           .property = "in a forked child KFD is not open until the child opens it",
           .rules = "PTR-17", .scope = Scope::kFirstGpu) {
  const Allocation memory = Allocate(MemoryKind::kGtt);
  const harness::ChildResult child = harness::RunInChild([&] {
    HsaPointerInfo answer = Filled();
    EXPECT_EQ(thunk().hsaKmtQueryPointerInfo(memory.address(), &answer),
              HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
  });
  EXPECT_TRUE(child.Passed()) << child.Describe();
  EXPECT_TRUE(Query(memory.address()).Found());
}

KFD_TEST_F(PointerInfo, ForkedChildForgetsParentsObjects, MemoryTest,
           .property =
               "a forked child that opens KFD finds no object of its parent, and the parent "
               "keeps them",
           .rules = "PTR-3", .scope = Scope::kFirstGpu) {
  const Allocation memory = Allocate(MemoryKind::kVram);
  const harness::ChildResult child = harness::RunInChild([&] {
    OpenKfd();
    EXPECT_TRUE(Query(memory.address()).Unknown());
    CloseKfd();
  });
  EXPECT_TRUE(child.Passed()) << child.Describe();
  EXPECT_EQ(Query(memory.address()).type, HSA_POINTER_ALLOCATED);
}

}  // namespace kfdcts::suites
