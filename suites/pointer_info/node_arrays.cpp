// The arrays behind the node lists: made once, kept until something changes.
#include "suites/support/memory_test.h"

namespace kfdcts::suites {

KFD_TEST_CASES_F(PointerInfo, MappedArrayIsKept, MemoryTest, kEveryKind,
                 .property =
                     "queries with no change between return the same array, with the same "
                     "contents",
                 .rules = "PTR-14") {
  const Allocation memory = Allocate(param().kind);
  MapToNodes(thunk(), memory.address(), memory.size(), {gpu().node_id});
  const PointerInfo first = Query(memory.address());
  ASSERT_NE(first.mapped_array, nullptr);
  const PointerInfo second = Query(memory.address());
  EXPECT_EQ(second.mapped_array, first.mapped_array);
  EXPECT_EQ(MappedNodes(second), std::set<HSAuint32>{gpu().node_id});
}

KFD_TEST_F(PointerInfo, RegisteredArrayIsKept, MemoryTest,
           .property =
               "queries with no change between return the same array, with the same "
               "contents",
           .rules = "PTR-14", .scope = Scope::kFirstGpu, .environment = {"HSA_USE_SVM=0"}) {
  const HostPages pages(1);
  const Registration registration(thunk(), pages.At(), pages.size(), {gpu().node_id});
  const PointerInfo first = Query(pages.At());
  ASSERT_NE(first.registered_array, nullptr);
  const PointerInfo second = Query(pages.At());
  EXPECT_EQ(second.registered_array, first.registered_array);
  EXPECT_EQ(RegisteredNodes(second), std::set<HSAuint32>{gpu().node_id});
}

KFD_TEST_F(PointerInfo, InteriorQueryHasSameArray, MemoryTest,
           .property = "every address of an object gives the object's own array", .rules = "PTR-14",
           .scope = Scope::kFirstGpu) {
  const Allocation memory = Allocate(MemoryKind::kGtt);
  MapToNodes(thunk(), memory.address(), memory.size(), {gpu().node_id});
  const PointerInfo at_start = Query(memory.address());
  const PointerInfo inside = Query(memory.At(static_cast<std::ptrdiff_t>(memory.size()) - 1));
  EXPECT_EQ(inside.mapped_array, at_start.mapped_array);
}

KFD_TEST_F(PointerInfo, ObjectsHaveArraysOfTheirOwn, MemoryTest,
           .property = "unmapping one object leaves the list of another alone",
           .rules = "PTR-14 PTR-15", .scope = Scope::kFirstGpu) {
  const Allocation kept = Allocate(MemoryKind::kGtt);
  const Allocation unmapped = Allocate(MemoryKind::kGtt);
  for (const Allocation* memory : {&kept, &unmapped}) {
    MapToNodes(thunk(), memory->address(), memory->size(), {gpu().node_id});
  }
  const PointerInfo before = Query(kept.address());
  EXPECT_NE(Query(unmapped.address()).mapped_array, before.mapped_array);
  ASSERT_EQ(thunk().hsaKmtUnmapMemoryToGPU(unmapped.address()), HSAKMT_STATUS_SUCCESS);
  const PointerInfo after = Query(kept.address());
  EXPECT_EQ(after.mapped_array, before.mapped_array);
  EXPECT_EQ(MappedNodes(after), std::set<HSAuint32>{gpu().node_id});
}

KFD_TEST_F(PointerInfo, RemappingShowsTheNodeAgain, MemoryTest,
           .property = "after unmapping and mapping anew a query lists the node again",
           .rules = "PTR-15", .guards = "BUG-3") {
  const Allocation memory = Allocate(MemoryKind::kVram);
  for (int round = 0; round < 3; ++round) {
    MapToNodes(thunk(), memory.address(), memory.size(), {gpu().node_id});
    EXPECT_EQ(MappedNodes(Query(memory.address())), std::set<HSAuint32>{gpu().node_id}) << round;
    ASSERT_EQ(thunk().hsaKmtUnmapMemoryToGPU(memory.address()), HSAKMT_STATUS_SUCCESS);
    EXPECT_EQ(Query(memory.address()).mapped_count, 0U) << round;
  }
}

KFD_TEST_F(PointerInfo, NewObjectHasNoOldNodes, MemoryTest,
           .property = "an object made where a mapped one was freed lists no node",
           .rules = "PTR-13 PTR-15", .scope = Scope::kFirstGpu) {
  for (int round = 0; round < 8; ++round) {
    Allocation memory = Allocate(MemoryKind::kGtt);
    EXPECT_EQ(Query(memory.address()).mapped_count, 0U) << round;
    MapToNodes(thunk(), memory.address(), memory.size(), {gpu().node_id});
    EXPECT_EQ(Query(memory.address()).mapped_count, 1U) << round;
    Check("hsaKmtUnmapMemoryToGPU", thunk().hsaKmtUnmapMemoryToGPU(memory.address()));
    memory.Free();
  }
}

}  // namespace kfdcts::suites
