// What a query tells about memory of hsaKmtAllocMemory.
#include "suites/support/memory_test.h"

namespace kfdcts::suites {

KFD_TEST_CASES_F(PointerInfo, AllocatedType, MemoryTest, kEveryKind,
                 .property = "memory of hsaKmtAllocMemory is ALLOCATED",
                 .rules = "PTR-1 PTR-4 PTR-9", .guards = "BUG-9") {
  const Allocation memory = Allocate(param().kind);
  const PointerInfo info = Query(memory.address());
  EXPECT_EQ(info.status, HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(info.type, HSA_POINTER_ALLOCATED);
}

KFD_TEST_CASES_F(PointerInfo, AllocatedCpuAddress, MemoryTest, kEveryKind,
                 .property = "CPUAddress of allocated memory is the start of the object",
                 .rules = "PTR-1 PTR-4") {
  const Allocation memory = Allocate(param().kind);
  EXPECT_EQ(Query(memory.address()).cpu_address, memory.address());
}

KFD_TEST_CASES_F(PointerInfo, AllocatedGpuAddress, MemoryTest, kEveryKind,
                 .property = "allocated memory has the same start for the GPU as for the CPU",
                 .rules = "PTR-1 PTR-21") {
  const Allocation memory = Allocate(param().kind);
  EXPECT_EQ(Query(memory.address()).gpu_address, reinterpret_cast<HSAuint64>(memory.address()));
}

KFD_TEST_CASES_F(PointerInfo, AllocatedNode, MemoryTest, kEveryKind,
                 .property = "Node is the node that the memory was asked of", .rules = "PTR-1",
                 .guards = "BUG-1") {
  const Allocation memory = Allocate(param().kind);
  EXPECT_EQ(Query(memory.address()).node, NodeFor(param().kind));
}

KFD_TEST_CASES_F(PointerInfo, AllocatedFlags, MemoryTest, kEveryKind,
                 .property = "MemFlags are the flags of the allocation", .rules = "PTR-1 PTR-18") {
  const Allocation memory = Allocate(param().kind);
  EXPECT_EQ(Query(memory.address()).flags, FlagsFor(param().kind).Value);
}

KFD_TEST_CASES_F(PointerInfo, FreshAllocationHasNoNodes, MemoryTest, kEveryKind,
                 .property = "an object that was neither registered nor mapped lists no node",
                 .rules = "PTR-13") {
  const Allocation memory = Allocate(param().kind);
  const PointerInfo info = Query(memory.address());
  EXPECT_EQ(info.registered_count, 0U);
  EXPECT_EQ(info.mapped_count, 0U);
}

struct SizeCase {
  std::string_view name;
  std::size_t pages;
};
// Around 2 MiB of 4 KiB pages, where a thunk changes its alignment.
constexpr SizeCase kSizes[] = {
    {"one_page", 1}, {"three_pages", 3}, {"pages_511", 511}, {"pages_512", 512}, {"pages_513", 513},
};

KFD_TEST_CASES_F(PointerInfo, AllocatedSize, MemoryTest, kSizes,
                 .property = "SizeInBytes is the size of the allocation", .rules = "PTR-1",
                 .scope = Scope::kFirstGpu) {
  for (const KindCase& one : kEveryKind) {
    SCOPED_TRACE(one.name);
    const Allocation memory = Allocate(one.kind, param().pages);
    EXPECT_EQ(Query(memory.address()).size, param().pages * PageSize());
  }
}

KFD_TEST_F(PointerInfo, ScratchIsUnknown, MemoryTest,
           .property = "scratch memory is not found, at its start or inside", .rules = "PTR-4",
           .guards = "BUG-7") {
  HsaMemFlags flags{};
  flags.ui32.Scratch = 1;
  const Allocation scratch(thunk(), gpu().node_id, 16 * PageSize(), flags);
  EXPECT_TRUE(Query(scratch.address()).Unknown());
  EXPECT_TRUE(Query(scratch.At(static_cast<std::ptrdiff_t>(PageSize()) + 1)).Unknown());
}

// Address reservations came with the calls for virtual memory management, of which this is one.
KFD_TEST_F(PointerInfo, ReservedAddress, MemoryTest,
           .property = "an address without memory is RESERVED_ADDR, of node 0, with no CPU address",
           .rules = "PTR-8 PTR-9 PTR-10", .guards = "BUG-9 BUG-10",
           .needs = {Symbol{"hsaKmtGetAMDGPUDeviceHandle"}}) {
  HsaMemFlags flags{};
  flags.ui32.OnlyAddress = 1;
  const Allocation reserved(thunk(), gpu().node_id, 4 * PageSize(), flags);
  const PointerInfo info = Query(reserved.address());
  EXPECT_EQ(info.type, HSA_POINTER_RESERVED_ADDR);
  EXPECT_EQ(info.node, 0U);
  EXPECT_EQ(info.cpu_address, nullptr);
  EXPECT_EQ(info.size, reserved.size());
  EXPECT_EQ(info.mapped_count, 0U);
}

}  // namespace kfdcts::suites
