// How long user data lives.
#include "suites/support/memory_test.h"

namespace kfdcts::suites {
namespace {

int token = 0;

}  // namespace

KFD_TEST_CASES_F(UserData, DiesWithTheObject, MemoryTest, kEveryKind,
                 .property = "an object made after one with user data was freed starts with none",
                 .rules = "USR-5", .scope = Scope::kFirstGpu) {
  for (int round = 0; round < 4; ++round) {
    Allocation memory = Allocate(param().kind);
    EXPECT_EQ(Query(memory.address()).user_data, nullptr) << round;
    ASSERT_EQ(thunk().hsaKmtSetMemoryUserData(memory.address(), &token), HSAKMT_STATUS_SUCCESS);
    memory.Free();
  }
}

KFD_TEST_F(UserData, DiesWithTheRegistration, MemoryTest,
           .property = "a user pointer registered anew starts with no user data", .rules = "USR-5",
           .scope = Scope::kFirstGpu, .environment = {"HSA_USE_SVM=0"}) {
  const HostPages pages(1);
  for (int round = 0; round < 3; ++round) {
    const Registration registration(thunk(), pages.At(), pages.size());
    EXPECT_EQ(Query(pages.At()).user_data, nullptr) << round;
    ASSERT_EQ(thunk().hsaKmtSetMemoryUserData(pages.At(), &token), HSAKMT_STATUS_SUCCESS);
  }
}

KFD_TEST_CASES_F(UserData, SurvivesMapping, MemoryTest, kEveryKind,
                 .property = "mapping and unmapping an object leave its user data alone",
                 .rules = "USR-6") {
  const Allocation memory = Allocate(param().kind);
  ASSERT_EQ(thunk().hsaKmtSetMemoryUserData(memory.address(), &token), HSAKMT_STATUS_SUCCESS);
  MapToNodes(thunk(), memory.address(), memory.size(), {gpu().node_id});
  EXPECT_EQ(Query(memory.address()).user_data, &token);
  ASSERT_EQ(thunk().hsaKmtUnmapMemoryToGPU(memory.address()), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Query(memory.address()).user_data, &token);
}

KFD_TEST_F(UserData, SurvivesOneOfTwoRegistrations, MemoryTest,
           .property =
               "registering a user pointer again and deregistering it once leave its user "
               "data alone",
           .rules = "USR-6", .scope = Scope::kFirstGpu, .environment = {"HSA_USE_SVM=0"}) {
  const HostPages pages(1);
  const Registration first(thunk(), pages.At(), pages.size(), {gpu().node_id});
  ASSERT_EQ(thunk().hsaKmtSetMemoryUserData(pages.At(), &token), HSAKMT_STATUS_SUCCESS);
  {
    const Registration second(thunk(), pages.At(), pages.size(), {gpu().node_id});
    EXPECT_EQ(Query(pages.At()).user_data, &token);
  }
  EXPECT_EQ(Query(pages.At()).user_data, &token);
}

}  // namespace kfdcts::suites
