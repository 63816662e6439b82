// Queries that have to make a node array when there is no memory for it.
#include <future>
#include <thread>

#include "harness/probes/allocation_failure.h"
#include "suites/support/memory_test.h"

namespace kfdcts::suites {
namespace {

// Asked by another thread; false where it does not come back, as with a lock left held.
bool AnotherThreadFinds(const harness::ThunkApi& thunk, const void* address) {
  std::packaged_task<bool()> ask([&thunk, address] { return Query(thunk, address).Found(); });
  std::future<bool> found = ask.get_future();
  std::thread asker(std::move(ask));
  if (found.wait_for(std::chrono::seconds(20)) != std::future_status::ready) {
    asker.detach();
    return false;
  }
  asker.join();
  return found.get();
}

HSAKMT_STATUS QueryWithoutMemory(const harness::ThunkApi& thunk, const void* address,
                                 bool* struck) {
  HsaPointerInfo answer{};
  harness::AllocationFailure failure(1);
  const HSAKMT_STATUS status = thunk.hsaKmtQueryPointerInfo(address, &answer);
  failure.Disarm();
  *struck = failure.Struck();
  return status;
}

}  // namespace

KFD_TEST_F(PointerInfo, NoMemoryForMappedNodes, MemoryTest,
           .property =
               "where the array of mapped nodes cannot be allocated the query is NO_MEMORY, "
               "and the next one succeeds from any thread",
           .rules = "PTR-16", .scope = Scope::kFirstGpu, .needs = {Capability::kAllocationFailure},
           .process = Process::kFresh) {
  const Allocation memory = Allocate(MemoryKind::kGtt);
  MapToNodes(thunk(), memory.address(), memory.size(), {gpu().node_id});
  bool struck = false;
  EXPECT_EQ(QueryWithoutMemory(thunk(), memory.address(), &struck), HSAKMT_STATUS_NO_MEMORY);
  ASSERT_TRUE(struck) << "the query allocated nothing";
  EXPECT_TRUE(AnotherThreadFinds(thunk(), memory.address()));
  EXPECT_EQ(MappedNodes(Query(memory.address())), std::set<HSAuint32>{gpu().node_id});
}

KFD_TEST_F(PointerInfo, NoMemoryForRegisteredNodes, MemoryTest,
           .property =
               "where the array of registered nodes cannot be allocated the query is "
               "NO_MEMORY, and the next one succeeds from any thread",
           .rules = "PTR-16", .scope = Scope::kFirstGpu, .needs = {Capability::kAllocationFailure},
           .environment = {"HSA_USE_SVM=0"}, .process = Process::kFresh) {
  const HostPages pages(1);
  const Registration registration(thunk(), pages.At(), pages.size(), {gpu().node_id});
  bool struck = false;
  EXPECT_EQ(QueryWithoutMemory(thunk(), pages.At(), &struck), HSAKMT_STATUS_NO_MEMORY);
  ASSERT_TRUE(struck) << "the query allocated nothing";
  EXPECT_TRUE(AnotherThreadFinds(thunk(), pages.At()));
  EXPECT_EQ(RegisteredNodes(Query(pages.At())), std::set<HSAuint32>{gpu().node_id});
}

KFD_TEST_F(PointerInfo, QueryWithoutNodesNeedsNoMemory, MemoryTest,
           .property = "a query that makes no array succeeds without memory", .rules = "PTR-14",
           .scope = Scope::kFirstGpu, .needs = {Capability::kAllocationFailure},
           .process = Process::kFresh) {
  const Allocation memory = Allocate(MemoryKind::kGtt);
  bool struck = false;
  EXPECT_EQ(QueryWithoutMemory(thunk(), memory.address(), &struck), HSAKMT_STATUS_SUCCESS);
  EXPECT_FALSE(struck);
}

}  // namespace kfdcts::suites
