// The lists of nodes that an object is registered and mapped to.
#include "suites/support/memory_test.h"

namespace kfdcts::suites {
namespace {

using Nodes = std::set<HSAuint32>;

}  // namespace

KFD_TEST_CASES_F(PointerInfo, MappedNode, MemoryTest, kEveryKind,
                 .property = "memory mapped to one GPU lists that GPU's node, by its node id",
                 .rules = "PTR-1 PTR-13") {
  const Allocation memory = Allocate(param().kind);
  MapToNodes(thunk(), memory.address(), memory.size(), {gpu().node_id});
  EXPECT_EQ(MappedNodes(Query(memory.address())), Nodes{gpu().node_id});
}

KFD_TEST_CASES_F(PointerInfo, UnmappedNode, MemoryTest, kEveryKind,
                 .property = "after unmapping no mapped node is listed", .rules = "PTR-13 PTR-15",
                 .guards = "BUG-3") {
  const Allocation memory = Allocate(param().kind);
  MapToNodes(thunk(), memory.address(), memory.size(), {gpu().node_id});
  ASSERT_EQ(Query(memory.address()).mapped_count, 1U);
  ASSERT_EQ(thunk().hsaKmtUnmapMemoryToGPU(memory.address()), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Query(memory.address()).mapped_count, 0U);
}

KFD_TEST_F(PointerInfo, MappedToEveryGpu, MemoryTest,
           .property = "system memory mapped without a list of nodes lists every GPU",
           .rules = "PTR-13", .scope = Scope::kEachGpuPair) {
  Nodes every_gpu;
  for (const harness::GpuNode& one : system_gpus()) every_gpu.insert(one.node_id);
  const Allocation memory(thunk(), cpu_node(), PageSize(), FlagsFor(MemoryKind::kGtt));
  HSAuint64 gpu_address = 0;
  Check("hsaKmtMapMemoryToGPU",
        thunk().hsaKmtMapMemoryToGPU(memory.address(), memory.size(), &gpu_address));
  EXPECT_EQ(MappedNodes(Query(memory.address())), every_gpu);
}

KFD_TEST_F(PointerInfo, MappingToMoreNodesAdds, MemoryTest,
           .property = "mapping to a second GPU as well is seen by the next query",
           .rules = "PTR-13 PTR-15", .guards = "BUG-3", .scope = Scope::kEachGpuPair) {
  const Allocation memory = Allocate(MemoryKind::kGtt);
  MapToNodes(thunk(), memory.address(), memory.size(), {gpu(0).node_id});
  ASSERT_EQ(MappedNodes(Query(memory.address())), Nodes{gpu(0).node_id});
  MapToNodes(thunk(), memory.address(), memory.size(), {gpu(0).node_id, gpu(1).node_id});
  EXPECT_EQ(MappedNodes(Query(memory.address())), (Nodes{gpu(0).node_id, gpu(1).node_id}));
}

KFD_TEST_F(PointerInfo, MappingMovesBetweenNodes, MemoryTest,
           .property = "unmapped from one GPU and mapped to another, the list names the other",
           .rules = "PTR-13 PTR-15", .guards = "BUG-3", .scope = Scope::kEachGpuPair) {
  const Allocation memory = Allocate(MemoryKind::kGtt);
  MapToNodes(thunk(), memory.address(), memory.size(), {gpu(0).node_id});
  ASSERT_EQ(MappedNodes(Query(memory.address())), Nodes{gpu(0).node_id});
  ASSERT_EQ(thunk().hsaKmtUnmapMemoryToGPU(memory.address()), HSAKMT_STATUS_SUCCESS);
  MapToNodes(thunk(), memory.address(), memory.size(), {gpu(1).node_id});
  EXPECT_EQ(MappedNodes(Query(memory.address())), Nodes{gpu(1).node_id});
}

KFD_TEST_F(PointerInfo, RegisteredNode, MemoryTest,
           .property = "memory registered to one GPU lists that GPU's node, by its node id",
           .rules = "PTR-1 PTR-13", .environment = {"HSA_USE_SVM=0"}) {
  const HostPages pages(1);
  const Registration registration(thunk(), pages.At(), pages.size(), {gpu().node_id});
  const PointerInfo info = Query(pages.At());
  EXPECT_EQ(RegisteredNodes(info), Nodes{gpu().node_id});
  EXPECT_EQ(info.mapped_count, 0U);
}

KFD_TEST_F(PointerInfo, RegisteredNodesOfTwo, MemoryTest,
           .property = "memory registered to two GPUs lists both, and mapping it maps to both",
           .rules = "PTR-13", .scope = Scope::kEachGpuPair, .environment = {"HSA_USE_SVM=0"}) {
  const HostPages pages(1);
  const Nodes both{gpu(0).node_id, gpu(1).node_id};
  const Registration registration(thunk(), pages.At(), pages.size(),
                                  {gpu(0).node_id, gpu(1).node_id});
  EXPECT_EQ(RegisteredNodes(Query(pages.At())), both);
  HSAuint64 gpu_address = 0;
  Check("hsaKmtMapMemoryToGPU",
        thunk().hsaKmtMapMemoryToGPU(pages.At(), pages.size(), &gpu_address));
  EXPECT_EQ(MappedNodes(Query(pages.At())), both);
  EXPECT_EQ(thunk().hsaKmtUnmapMemoryToGPU(pages.At()), HSAKMT_STATUS_SUCCESS);
}

KFD_TEST_F(PointerInfo, RegisteredToOtherNodesAnew, MemoryTest,
           .property = "deregistered and registered to another GPU, the list names the other",
           .rules = "PTR-13 PTR-15", .guards = "BUG-3", .scope = Scope::kEachGpuPair,
           .environment = {"HSA_USE_SVM=0"}) {
  const HostPages pages(1);
  {
    const Registration first(thunk(), pages.At(), pages.size(), {gpu(0).node_id});
    ASSERT_EQ(RegisteredNodes(Query(pages.At())), Nodes{gpu(0).node_id});
  }
  const Registration second(thunk(), pages.At(), pages.size(), {gpu(1).node_id});
  EXPECT_EQ(RegisteredNodes(Query(pages.At())), Nodes{gpu(1).node_id});
}

}  // namespace kfdcts::suites
