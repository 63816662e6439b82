// Calls that must fail, and what they must not do.
#include "suites/support/memory_test.h"

namespace kfdcts::suites {
namespace {

int token = 0;
int other_token = 0;

}  // namespace

KFD_TEST_F(UserData, UnknownAddress, MemoryTest,
           .property = "an unknown address is an error, and no object changes", .rules = "USR-2",
           .scope = Scope::kFirstGpu) {
  const HostPages pages(1);
  const Allocation memory = Allocate(MemoryKind::kGtt);
  ASSERT_EQ(thunk().hsaKmtSetMemoryUserData(memory.address(), &token), HSAKMT_STATUS_SUCCESS);
  for (const void* unknown :
       {static_cast<const void*>(pages.At()), static_cast<const void*>(&token),
        static_cast<const void*>(nullptr)}) {
    EXPECT_EQ(thunk().hsaKmtSetMemoryUserData(unknown, &other_token), HSAKMT_STATUS_ERROR);
  }
  EXPECT_EQ(Query(memory.address()).user_data, &token);
}

KFD_TEST_CASES_F(UserData, FreedMemory, MemoryTest, kEveryKind,
                 .property = "user data of a freed object cannot be set", .rules = "USR-2",
                 .scope = Scope::kFirstGpu) {
  Allocation memory = Allocate(param().kind);
  void* const start = memory.address();
  memory.Free();
  EXPECT_EQ(thunk().hsaKmtSetMemoryUserData(start, &token), HSAKMT_STATUS_ERROR);
}

KFD_TEST_F(UserData, NotYetOpened, MemoryTest, .property = "with KFD not open nothing can be set",
           .rules = "USR-2", .scope = Scope::kCpu, .kfd = KfdState::kClosed,
           .process = Process::kFresh) {
  EXPECT_EQ(thunk().hsaKmtSetMemoryUserData(&token, &token),
            HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
}

KFD_TEST_CASES_F(UserData, SettingMakesNoIoctl, MemoryTest, kEveryKind,
                 .property = "setting user data makes no ioctl, whether it succeeds or fails",
                 .rules = "USR-8 PTR-19", .scope = Scope::kFirstGpu, .needs = {Capability::kTracer},
                 .process = Process::kTraced) {
  const Allocation memory = Allocate(param().kind);
  tracer().Reset();
  EXPECT_EQ(thunk().hsaKmtSetMemoryUserData(memory.address(), &token), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(thunk().hsaKmtSetMemoryUserData(&token, &token), HSAKMT_STATUS_ERROR);
  ExpectNoIoctl();
}

}  // namespace kfdcts::suites
