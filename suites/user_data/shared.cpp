// User data of imported memory.
#include "suites/support/shared_test.h"

namespace kfdcts::suites {
namespace {

int token = 0;
int other_token = 0;

}  // namespace

KFD_TEST_CASES_F(UserData, OfSharedMemory, SharedTest, kSharedKinds,
                 .property =
                     "imported memory starts without user data, and keeps what its process set; "
                     "the exporter's is another",
                 .rules = "USR-1 USR-4", .scope = Scope::kFirstGpu,
                 .needs = {Capability::kSharedMemory}) {
  const Allocation memory = Allocate(param().kind);
  ASSERT_EQ(thunk().hsaKmtSetMemoryUserData(memory.address(), &token), HSAKMT_STATUS_SUCCESS);
  const SharedHandle handle = Share(memory);
  InPeer([&] {
    const Import import(thunk(), handle);
    EXPECT_EQ(Query(import.address()).user_data, nullptr);
    EXPECT_EQ(thunk().hsaKmtSetMemoryUserData(import.address(), &other_token),
              HSAKMT_STATUS_SUCCESS);
    EXPECT_EQ(Query(import.At(import.size() - 1)).user_data, &other_token);
  });
  EXPECT_EQ(Query(memory.address()).user_data, &token);
}

KFD_TEST_F(UserData, SurvivesSharing, SharedTest,
           .property = "sharing, importing and mapping leave user data alone", .rules = "USR-6",
           .scope = Scope::kFirstGpu, .needs = {Capability::kSharedMemory}) {
  const Allocation memory = Allocate(MemoryKind::kVram);
  ASSERT_EQ(thunk().hsaKmtSetMemoryUserData(memory.address(), &token), HSAKMT_STATUS_SUCCESS);
  const SharedHandle handle = Share(memory);
  EXPECT_EQ(Query(memory.address()).user_data, &token);
  InPeer([&] {
    const Import import(thunk(), handle);
    ASSERT_EQ(thunk().hsaKmtSetMemoryUserData(import.address(), &token), HSAKMT_STATUS_SUCCESS);
    MapToNodes(thunk(), import.address(), import.size(), {gpu().node_id});
    EXPECT_EQ(Query(import.address()).user_data, &token);
    EXPECT_EQ(thunk().hsaKmtUnmapMemoryToGPU(import.address()), HSAKMT_STATUS_SUCCESS);
    EXPECT_EQ(Query(import.address()).user_data, &token);
  });
}

KFD_TEST_F(UserData, DiesWithTheImport, SharedTest,
           .property = "memory imported anew starts without user data", .rules = "USR-5",
           .scope = Scope::kFirstGpu, .needs = {Capability::kSharedMemory}) {
  const Allocation memory = Allocate(MemoryKind::kVram);
  const SharedHandle handle = Share(memory);
  InPeer([&] {
    for (int round = 0; round < 3; ++round) {
      const Import import(thunk(), handle);
      EXPECT_EQ(Query(import.address()).user_data, nullptr) << round;
      EXPECT_EQ(thunk().hsaKmtSetMemoryUserData(import.address(), &token), HSAKMT_STATUS_SUCCESS);
    }
  });
}

}  // namespace kfdcts::suites
