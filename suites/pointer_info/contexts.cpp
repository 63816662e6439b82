// The calls that name a context: the primary one's are the plain calls, a second one's are a world
// of its own.
#include "suites/support/context.h"

#include <sys/syscall.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "harness/uapi/kfd_compat.h"
#include "suites/support/memory_test.h"

namespace kfdcts::suites {
namespace {

std::ptrdiff_t OpenDescriptors() {
  const std::filesystem::directory_iterator folder("/proc/self/fd");
  return std::distance(begin(folder), end(folder));
}

}  // namespace

KFD_TEST_CASES_F(PointerInfo, CtxAnswersAsPlain, MemoryTest, kEveryKind,
                 .property =
                     "a query of the primary context answers as the plain query does, in every "
                     "member, down to the same arrays",
                 .rules = "PTR-23 PTR-14", .needs = {Symbol{"hsaKmtOpenKFDCtx"}}) {
  const PrimaryContext primary(thunk());
  const Allocation memory = Allocate(param().kind);
  MapToNodes(thunk(), memory.address(), memory.size(), {gpu().node_id});
  const PointerInfo plain = Query(memory.At(5));
  ASSERT_TRUE(plain.Found());
  EXPECT_EQ(QueryCtx(thunk(), primary.get(), memory.At(5)), plain);
}

KFD_TEST_CASES_F(PointerInfo, PlainFindsWhatCtxMade, MemoryTest, kEveryKind,
                 .property =
                     "memory that was allocated, mapped and freed by the calls of the primary "
                     "context is the plain calls' own",
                 .rules = "PTR-23", .scope = Scope::kFirstGpu,
                 .needs = {Symbol{"hsaKmtOpenKFDCtx"}}) {
  const PrimaryContext primary(thunk());
  void* address = nullptr;
  {
    const ContextAllocation memory(thunk(), primary.get(), NodeFor(param().kind), 2 * PageSize(),
                                   FlagsFor(param().kind));
    address = memory.address();
    memory.Map({gpu().node_id});
    const PointerInfo info = Query(address);
    EXPECT_EQ(info.type, HSA_POINTER_ALLOCATED);
    EXPECT_EQ(info.size, memory.size());
    EXPECT_EQ(MappedNodes(info), std::set<HSAuint32>{gpu().node_id});
  }
  EXPECT_TRUE(Query(address).Unknown());
}

KFD_TEST_F(PointerInfo, CtxErrorsAsPlain, MemoryTest,
           .property =
               "a query of the primary context refuses an unknown address and a null output as "
               "the plain query does",
           .rules = "PTR-23 PTR-2 PTR-17", .scope = Scope::kFirstGpu,
           .needs = {Symbol{"hsaKmtOpenKFDCtx"}}) {
  const PrimaryContext primary(thunk());
  const HostPages pages(1);
  EXPECT_TRUE(QueryCtx(thunk(), primary.get(), pages.At()).Unknown());
  EXPECT_EQ(QueryCtx(thunk(), primary.get(), pages.At()), Query(pages.At()));
  EXPECT_EQ(thunk().hsaKmtQueryPointerInfoCtx(primary.get(), pages.At(), nullptr),
            HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(thunk().hsaKmtQueryPointerInfoCtx(primary.get(), nullptr, nullptr),
            HSAKMT_STATUS_INVALID_PARAMETER);
}

KFD_TEST_F(PointerInfo, CtxOfClosedKfd, MemoryTest,
           .property =
               "with KFD closed a query of the context that was the primary one fails as the "
               "plain query does, and writes nothing",
           .rules = "PTR-23 PTR-17 PTR-2", .scope = Scope::kCpu,
           .needs = {Capability::kKfd, Symbol{"hsaKmtOpenKFDCtx"}}, .kfd = KfdState::kClosed,
           .process = Process::kFresh) {
  HsaKFDContext* context = nullptr;
  Check("hsaKmtOpenKFDCtx", thunk().hsaKmtOpenKFDCtx(&context));
  Check("hsaKmtCloseKFDCtx", thunk().hsaKmtCloseKFDCtx());
  HsaPointerInfo answer;
  std::memset(&answer, 0xa5, sizeof(answer));
  const HsaPointerInfo before = answer;
  EXPECT_EQ(thunk().hsaKmtQueryPointerInfoCtx(context, &answer, &answer),
            HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
  EXPECT_EQ(std::memcmp(&answer, &before, sizeof(answer)), 0);
}

KFD_TEST_F(PointerInfo, CtxQueryMakesNoIoctl, MemoryTest,
           .property = "a query of a context makes no ioctl", .rules = "PTR-19 PTR-23",
           .scope = Scope::kFirstGpu, .needs = {Capability::kTracer, Symbol{"hsaKmtOpenKFDCtx"}},
           .process = Process::kTraced) {
  const PrimaryContext primary(thunk());
  const Allocation memory = Allocate(MemoryKind::kGtt);
  tracer().Reset();
  EXPECT_TRUE(QueryCtx(thunk(), primary.get(), memory.address()).Found());
  EXPECT_TRUE(QueryCtx(thunk(), primary.get(), &kEveryKind).Unknown());
  ExpectNoIoctl();
}

KFD_TEST_CASES_F(PointerInfo, OtherContextIsUnknown, MemoryTest, kEveryKind,
                 .property =
                     "an address of the primary context is unknown in a second one, at its start "
                     "and inside, mapped or not",
                 .rules = "PTR-24", .needs = {Capability::kSecondaryContext}) {
  const SecondaryContext second(thunk());
  const Allocation memory = Allocate(param().kind);
  EXPECT_TRUE(QueryCtx(thunk(), second.get(), memory.address()).Unknown());
  MapToNodes(thunk(), memory.address(), memory.size(), {gpu().node_id});
  EXPECT_TRUE(QueryCtx(thunk(), second.get(), memory.At(9)).Unknown());
  EXPECT_TRUE(Query(memory.address()).Found());
}

constexpr KindCase kSecondaryKinds[] = {
    {"vram", MemoryKind::kVram},
    {"visible_vram", MemoryKind::kVisibleVram},
    {"gtt", MemoryKind::kGtt},
};

KFD_TEST_CASES_F(PointerInfo, SecondContextHasItsOwn, MemoryTest, kSecondaryKinds,
                 .property =
                     "memory of a second context is found there with its fields, and is unknown in "
                     "the primary one",
                 .rules = "PTR-24 PTR-1", .needs = {Capability::kSecondaryContext}) {
  const SecondaryContext second(thunk());
  const ContextAllocation memory(thunk(), second.get(), NodeFor(param().kind), 3 * PageSize(),
                                 FlagsFor(param().kind));
  memory.Map({gpu().node_id});
  const PointerInfo info = QueryCtx(thunk(), second.get(), memory.address());
  EXPECT_EQ(info.type, HSA_POINTER_ALLOCATED);
  EXPECT_EQ(info.cpu_address, memory.address());
  EXPECT_EQ(info.size, memory.size());
  EXPECT_EQ(info.node, NodeFor(param().kind));
  EXPECT_EQ(info.flags, FlagsFor(param().kind).Value);
  EXPECT_EQ(MappedNodes(info), std::set<HSAuint32>{gpu().node_id});
  EXPECT_TRUE(Query(memory.address()).Unknown());
}

// The kernel has user pointers and SVM in the primary context only.
KFD_TEST_F(
    PointerInfo, UserPointerOfPrimaryContextOnly, MemoryTest,
    .property = "a user pointer registered in the primary context is unknown in a second one",
    .rules = "PTR-24 PTR-5", .scope = Scope::kFirstGpu, .needs = {Capability::kSecondaryContext},
    .environment = {"HSA_USE_SVM=0"}) {
  const SecondaryContext second(thunk());
  const HostPages pages(2);
  const Registration registration(thunk(), pages.At(), pages.size());
  EXPECT_EQ(Query(pages.At()).type, HSA_POINTER_REGISTERED_USER);
  EXPECT_TRUE(QueryCtx(thunk(), second.get(), pages.At()).Unknown());
}

KFD_TEST_F(PointerInfo, ContextsTakeTurns, MemoryTest,
           .property =
               "two secondary contexts with an object each find their own and not the other's, "
               "and closing one leaves the other's",
           .rules = "PTR-24", .scope = Scope::kFirstGpu, .needs = {Capability::kSecondaryContext}) {
  const SecondaryContext kept(thunk());
  const ContextAllocation mine(thunk(), kept.get(), gpu().node_id, PageSize(),
                               FlagsFor(MemoryKind::kVram));
  {
    SecondaryContext closed(thunk());
    void* theirs = nullptr;
    Check("hsaKmtAllocMemoryCtx",
          thunk().hsaKmtAllocMemoryCtx(closed.get(), gpu().node_id, 2 * PageSize(),
                                       FlagsFor(MemoryKind::kVram), &theirs));
    EXPECT_EQ(QueryCtx(thunk(), closed.get(), theirs).size, 2 * PageSize());
    EXPECT_TRUE(QueryCtx(thunk(), kept.get(), theirs).Unknown());
    EXPECT_EQ(closed.Close(), HSAKMT_STATUS_SUCCESS);  // with its memory
  }
  EXPECT_EQ(QueryCtx(thunk(), kept.get(), mine.address()).cpu_address, mine.address());
}

KFD_TEST_F(PointerInfo, ContextsLeaveNoDescriptor, MemoryTest,
           .property = "opening and closing second contexts leaves no file descriptor",
           .rules = "PTR-24", .guards = "BUG-50 BUG-21", .scope = Scope::kFirstGpu,
           .needs = {Capability::kSecondaryContext}) {
  const std::ptrdiff_t before = OpenDescriptors();
  for (int round = 0; round < 10; ++round) {
    SecondaryContext second(thunk());
    const ContextAllocation memory(thunk(), second.get(), gpu().node_id, PageSize(),
                                   FlagsFor(MemoryKind::kGtt));
  }
  EXPECT_EQ(OpenDescriptors(), before);
}

KFD_TEST_F(PointerInfo, ClosingAsksForASecondContext, MemoryTest,
           .property =
               "a null context and the primary one cannot be closed as a second one, and the "
               "primary one goes on",
           .rules = "PTR-23", .guards = "BUG-50", .scope = Scope::kFirstGpu,
           .needs = {Symbol{"hsaKmtCloseSecondaryKFDCtx"}}) {
  const PrimaryContext primary(thunk());
  const Allocation memory = Allocate(MemoryKind::kGtt);
  EXPECT_EQ(thunk().hsaKmtCloseSecondaryKFDCtx(nullptr), HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(thunk().hsaKmtCloseSecondaryKFDCtx(primary.get()), HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_TRUE(Query(memory.address()).Found());
}

KFD_TEST_F(PointerInfo, SecondContextNeedsThePrimary, MemoryTest,
           .property = "with KFD not open no second context opens, and no context is returned",
           .rules = "PTR-23", .guards = "BUG-50", .scope = Scope::kCpu,
           .needs = {Symbol{"hsaKmtOpenSecondaryKFDCtx"}}, .kfd = KfdState::kClosed,
           .process = Process::kFresh) {
  HsaKFDContext* second = nullptr;
  EXPECT_EQ(thunk().hsaKmtOpenSecondaryKFDCtx(&second), HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
  EXPECT_EQ(second, nullptr);
}

KFD_TEST_F(PointerInfo, RefusedSecondContext, MemoryTest,
           .property =
               "where the kernel makes no second process, or its file does not open, the call "
               "fails, gives no context and leaves no descriptor",
           .rules = "PTR-24", .guards = "BUG-50", .scope = Scope::kFirstGpu,
           .needs = {Capability::kTracer, Capability::kSecondaryContext},
           .process = Process::kTraced) {
  const std::array refusals = {harness::SyscallMatch::Ioctl(AMDKFD_IOC_CREATE_PROCESS),
                               harness::SyscallMatch::Call(__NR_openat)};
  const std::ptrdiff_t before = OpenDescriptors();
  for (const harness::SyscallMatch& refused : refusals) {
    tracer().Reset();
    tracer().FailNth(refused, 1, ENOMEM);
    HsaKFDContext* second = nullptr;
    EXPECT_NE(thunk().hsaKmtOpenSecondaryKFDCtx(&second), HSAKMT_STATUS_SUCCESS);
    EXPECT_EQ(tracer().Interventions(), 1U);
    EXPECT_EQ(second, nullptr);
    tracer().Reset();
    EXPECT_EQ(OpenDescriptors(), before);
  }
}

}  // namespace kfdcts::suites
