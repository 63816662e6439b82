// Memory of the CPU's node, on machines with GPUs and without.
#include "suites/support/memory_test.h"

namespace kfdcts::suites {
namespace {

/// Paged system memory, which needs no GPU.
class CpuNodeTest : public MemoryTest {
 protected:
  Allocation AllocateOnCpu(std::size_t pages = 3) const {
    return Allocation(thunk(), cpu_node(), pages * PageSize(), FlagsFor(MemoryKind::kSystem));
  }
};

}  // namespace

KFD_TEST_F(PointerInfo, CpuNodeMemory, CpuNodeTest,
           .property =
               "system memory is ALLOCATED on the CPU's node, with its start, size and flags, from "
               "its first byte to its last",
           .rules = "PTR-1 PTR-4 PTR-11 PTR-12", .scope = Scope::kCpu) {
  const Allocation memory = AllocateOnCpu();
  for (const std::ptrdiff_t offset :
       {std::ptrdiff_t{0}, std::ptrdiff_t{1}, static_cast<std::ptrdiff_t>(memory.size()) - 1}) {
    const PointerInfo info = Query(memory.At(offset));
    EXPECT_EQ(info.type, HSA_POINTER_ALLOCATED) << offset;
    EXPECT_EQ(info.cpu_address, memory.address());
    EXPECT_EQ(info.size, memory.size());
    EXPECT_EQ(info.node, cpu_node());
    EXPECT_EQ(info.flags, FlagsFor(MemoryKind::kSystem).Value);
    EXPECT_EQ(info.mapped_count, 0U);
  }
}

KFD_TEST_F(PointerInfo, CpuNodeUnknown, CpuNodeTest,
           .property = "memory of the process, and freed memory, are unknown",
           .rules = "PTR-2 PTR-3", .scope = Scope::kCpu) {
  const HostPages pages(1);
  EXPECT_TRUE(Query(pages.At()).Unknown());
  EXPECT_TRUE(Query(nullptr).Unknown());
  Allocation memory = AllocateOnCpu();
  void* const address = memory.address();
  memory.Free();
  EXPECT_TRUE(Query(address).Unknown());
}

KFD_TEST_F(UserData, CpuNodeMemory, CpuNodeTest,
           .property = "system memory keeps user data until it is freed",
           .rules = "USR-1 USR-4 USR-5", .scope = Scope::kCpu) {
  int token = 0;
  for (int round = 0; round < 3; ++round) {
    const Allocation memory = AllocateOnCpu();
    EXPECT_EQ(Query(memory.address()).user_data, nullptr) << round;
    EXPECT_EQ(thunk().hsaKmtSetMemoryUserData(memory.address(), &token), HSAKMT_STATUS_SUCCESS);
    EXPECT_EQ(Query(memory.At(static_cast<std::ptrdiff_t>(PageSize()))).user_data, &token);
  }
}

KFD_TEST_F(UserData, CpuNodeUnknown, CpuNodeTest,
           .property = "user data of memory that is not known cannot be set", .rules = "USR-2",
           .scope = Scope::kCpu) {
  const HostPages pages(1);
  EXPECT_EQ(thunk().hsaKmtSetMemoryUserData(pages.At(), pages.At()), HSAKMT_STATUS_ERROR);
}

KFD_TEST_F(UserData, ScratchIsUnknown, MemoryTest,
           .property = "scratch memory, which is not found, takes no user data",
           .rules = "USR-2 PTR-4", .guards = "BUG-7", .scope = Scope::kFirstGpu) {
  HsaMemFlags flags{};
  flags.ui32.Scratch = 1;
  const Allocation scratch(thunk(), gpu().node_id, 16 * PageSize(), flags);
  EXPECT_EQ(thunk().hsaKmtSetMemoryUserData(scratch.address(), &flags), HSAKMT_STATUS_ERROR);
}

}  // namespace kfdcts::suites
