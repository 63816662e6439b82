// User data by the calls that name a context.
#include "suites/support/context.h"
#include "suites/support/memory_test.h"

namespace kfdcts::suites {
namespace {

int token = 0;
int other_token = 0;

}  // namespace

KFD_TEST_CASES_F(UserData, CtxIsPlain, MemoryTest, kEveryKind,
                 .property =
                     "user data set by the primary context's call is in the plain answer, and the "
                     "other way round",
                 .rules = "USR-8 PTR-23", .scope = Scope::kFirstGpu,
                 .needs = {Symbol{"hsaKmtOpenKFDCtx"}}) {
  const PrimaryContext primary(thunk());
  const Allocation memory = Allocate(param().kind);
  EXPECT_EQ(thunk().hsaKmtSetMemoryUserDataCtx(primary.get(), memory.address(), &token),
            HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Query(memory.address()).user_data, &token);
  EXPECT_EQ(thunk().hsaKmtSetMemoryUserData(memory.address(), &other_token), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(QueryCtx(thunk(), primary.get(), memory.address()).user_data, &other_token);
}

KFD_TEST_F(
    UserData, CtxErrorsAsPlain, MemoryTest,
    .property = "the primary context's call refuses an unknown address as the plain one does",
    .rules = "USR-8 USR-2 PTR-23", .scope = Scope::kFirstGpu,
    .needs = {Symbol{"hsaKmtOpenKFDCtx"}}) {
  const PrimaryContext primary(thunk());
  for (const void* unknown :
       {static_cast<const void*>(&token), static_cast<const void*>(nullptr)}) {
    EXPECT_EQ(thunk().hsaKmtSetMemoryUserDataCtx(primary.get(), unknown, &token),
              HSAKMT_STATUS_ERROR);
    EXPECT_EQ(thunk().hsaKmtSetMemoryUserData(unknown, &token), HSAKMT_STATUS_ERROR);
  }
}

KFD_TEST_F(UserData, CtxOfClosedKfd, MemoryTest,
           .property = "with KFD closed the call of the context that was the primary one fails",
           .rules = "USR-8 USR-2", .scope = Scope::kCpu,
           .needs = {Capability::kKfd, Symbol{"hsaKmtOpenKFDCtx"}}, .kfd = KfdState::kClosed,
           .process = Process::kFresh) {
  HsaKFDContext* context = nullptr;
  Check("hsaKmtOpenKFDCtx", thunk().hsaKmtOpenKFDCtx(&context));
  Check("hsaKmtCloseKFDCtx", thunk().hsaKmtCloseKFDCtx());
  EXPECT_EQ(thunk().hsaKmtSetMemoryUserDataCtx(context, &token, &token),
            HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
}

KFD_TEST_F(UserData, OfAnotherContext, MemoryTest,
           .property =
               "an address of the primary context is an error in a second one, and its user data "
               "stays",
           .rules = "USR-8 PTR-24 USR-2", .scope = Scope::kFirstGpu,
           .needs = {Capability::kSecondaryContext}) {
  const SecondaryContext second(thunk());
  const Allocation memory = Allocate(MemoryKind::kVram);
  ASSERT_EQ(thunk().hsaKmtSetMemoryUserData(memory.address(), &token), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(thunk().hsaKmtSetMemoryUserDataCtx(second.get(), memory.address(), &other_token),
            HSAKMT_STATUS_ERROR);
  EXPECT_EQ(Query(memory.address()).user_data, &token);
}

KFD_TEST_F(UserData, OfSecondContextsOwn, MemoryTest,
           .property =
               "a second context keeps user data of its objects, which the primary one can "
               "neither set nor see",
           .rules = "USR-8 USR-1 PTR-24", .needs = {Capability::kSecondaryContext}) {
  const SecondaryContext second(thunk());
  const ContextAllocation memory(thunk(), second.get(), gpu().node_id, 2 * PageSize(),
                                 FlagsFor(MemoryKind::kVram));
  EXPECT_EQ(thunk().hsaKmtSetMemoryUserDataCtx(second.get(), memory.address(), &token),
            HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(thunk().hsaKmtSetMemoryUserData(memory.address(), &other_token), HSAKMT_STATUS_ERROR);
  EXPECT_EQ(QueryCtx(thunk(), second.get(), memory.address()).user_data, &token);
  EXPECT_TRUE(Query(memory.address()).Unknown());
}

KFD_TEST_F(UserData, CtxSettingMakesNoIoctl, MemoryTest,
           .property = "setting user data of a context's object makes no ioctl",
           .rules = "USR-8 PTR-19", .scope = Scope::kFirstGpu,
           .needs = {Capability::kTracer, Symbol{"hsaKmtOpenKFDCtx"}},
           .process = Process::kTraced) {
  const PrimaryContext primary(thunk());
  const Allocation memory = Allocate(MemoryKind::kVram);
  tracer().Reset();
  EXPECT_EQ(thunk().hsaKmtSetMemoryUserDataCtx(primary.get(), memory.address(), &token),
            HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(thunk().hsaKmtSetMemoryUserDataCtx(primary.get(), &token, &token), HSAKMT_STATUS_ERROR);
  ExpectNoIoctl();
}

}  // namespace kfdcts::suites
