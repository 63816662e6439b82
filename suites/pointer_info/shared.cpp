// Memory that another process shared.
#include <sys/mman.h>

#include <cstring>

#include "harness/test_support/child.h"
#include "suites/support/memory_test.h"

namespace kfdcts::suites {

KFD_TEST_F(PointerInfo, SharedMemory, MemoryTest,
           .property =
               "imported memory is REGISTERED_SHARED, on its exporter's node, of the shared "
               "size, with no CPU address",
           .rules = "PTR-7 PTR-9 PTR-10", .guards = "BUG-1 BUG-50",
           .needs = {Capability::kSharedMemory}) {
  const Allocation memory = Allocate(MemoryKind::kVram);
  HsaSharedMemoryHandle handle{};
  Check("hsaKmtShareMemory", thunk().hsaKmtShareMemory(memory.address(), memory.size(), &handle));
  const harness::ChildResult child = harness::RunInChild([&] {
    OpenKfd();
    void* address = nullptr;
    HSAuint64 size = 0;
    Check("hsaKmtRegisterSharedHandle",
          thunk().hsaKmtRegisterSharedHandle(&handle, &address, &size));
    const PointerInfo info = Query(address);
    EXPECT_EQ(info.type, HSA_POINTER_REGISTERED_SHARED);
    EXPECT_EQ(info.node, gpu().node_id);
    EXPECT_EQ(info.size, memory.size());
    EXPECT_EQ(info.cpu_address, nullptr);
    EXPECT_EQ(thunk().hsaKmtDeregisterMemory(address), HSAKMT_STATUS_SUCCESS);
    EXPECT_TRUE(Query(address).Unknown());
    CloseKfd();
  });
  EXPECT_TRUE(child.Passed()) << child.Describe();
}

}  // namespace kfdcts::suites
