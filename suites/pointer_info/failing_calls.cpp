// Every system call of the memory chapter fails, one at a time: the call says so, or does without,
// and makes nothing by halves.
#include "suites/support/failing_call_test.h"

namespace kfdcts::suites {
namespace {

/// Operations by calls: a test for each.
struct MadeCase {
  std::string_view name;
  CallCase call;
  MemoryKind kind;
};
constexpr MadeCase kMade[] = {
    {"vram_ioctl", kFailedCalls[0], MemoryKind::kVram},
    {"vram_mmap", kFailedCalls[1], MemoryKind::kVram},
    {"visible_vram_ioctl", kFailedCalls[0], MemoryKind::kVisibleVram},
    {"visible_vram_mmap", kFailedCalls[1], MemoryKind::kVisibleVram},
    {"gtt_ioctl", kFailedCalls[0], MemoryKind::kGtt},
    {"gtt_mmap", kFailedCalls[1], MemoryKind::kGtt},
    {"system_ioctl", kFailedCalls[0], MemoryKind::kSystem},
    {"system_mmap", kFailedCalls[1], MemoryKind::kSystem},
};

}  // namespace

KFD_TEST_CASES_F(PointerInfo, FailingAllocation, FailingCallTest, kMade,
                 .property =
                     "an allocation whose nth system call fails is an error or complete; it leaves "
                     "no object, and the next one works",
                 .rules = "PTR-3 PTR-4", .scope = Scope::kFirstGpu, .needs = {Capability::kTracer},
                 .process = Process::kTraced) {
  const std::size_t size = 3 * PageSize();
  void* address = nullptr;
  FailEach(param().call.match(), {.run =
                                      [&] {
                                        address = nullptr;
                                        return thunk().hsaKmtAllocMemory(
                                            NodeFor(param().kind), size, FlagsFor(param().kind),
                                            &address);
                                      },
                                  .done = [&] { return Query(address).Found(); },
                                  .undo = [&] { return thunk().hsaKmtFreeMemory(address, size); }});
}

KFD_TEST_CASES_F(PointerInfo, FailingFree, FailingCallTest, kMade,
                 .property =
                     "a free whose nth system call fails is an error that keeps the object, or "
                     "complete; the next one works",
                 .rules = "PTR-3 PTR-4", .scope = Scope::kFirstGpu, .needs = {Capability::kTracer},
                 .process = Process::kTraced) {
  const std::size_t size = 3 * PageSize();
  void* address = nullptr;
  const auto allocate = [&] {
    return thunk().hsaKmtAllocMemory(NodeFor(param().kind), size, FlagsFor(param().kind), &address);
  };
  ASSERT_EQ(allocate(), HSAKMT_STATUS_SUCCESS);
  FailEach(param().call.match(), {.run = [&] { return thunk().hsaKmtFreeMemory(address, size); },
                                  .done = [&] { return Query(address).Unknown(); },
                                  .undo = allocate});
  EXPECT_EQ(thunk().hsaKmtFreeMemory(address, size), HSAKMT_STATUS_SUCCESS);
}

KFD_TEST_CASES_F(PointerInfo, FailingMap, FailingCallTest, kMade,
                 .property =
                     "a mapping whose nth system call fails is an error that maps to no node, or "
                     "complete; the next one works",
                 .rules = "PTR-13 PTR-15", .scope = Scope::kFirstGpu,
                 .needs = {Capability::kTracer}, .process = Process::kTraced) {
  const Allocation memory = Allocate(param().kind);
  HSAuint64 gpu_address = 0;
  HSAuint32 node = gpu().node_id;
  FailEach(param().call.match(),
           {.run =
                [&] {
                  return thunk().hsaKmtMapMemoryToGPUNodes(
                      memory.address(), memory.size(), &gpu_address, HsaMemMapFlags{}, 1, &node);
                },
            .done = [&] { return Query(memory.address()).mapped_count == 1; },
            .undo = [&] { return thunk().hsaKmtUnmapMemoryToGPU(memory.address()); }});
}

KFD_TEST_CASES_F(PointerInfo, FailingUnmap, FailingCallTest, kMade,
                 .property =
                     "an unmapping whose nth system call fails is an error that leaves the "
                     "mapping, or complete; the next one works",
                 .rules = "PTR-13 PTR-15", .scope = Scope::kFirstGpu,
                 .needs = {Capability::kTracer}, .process = Process::kTraced) {
  const Allocation memory = Allocate(param().kind);
  HSAuint64 gpu_address = 0;
  HSAuint32 node = gpu().node_id;
  const auto map = [&] {
    return thunk().hsaKmtMapMemoryToGPUNodes(memory.address(), memory.size(), &gpu_address,
                                             HsaMemMapFlags{}, 1, &node);
  };
  ASSERT_EQ(map(), HSAKMT_STATUS_SUCCESS);
  FailEach(param().call.match(),
           {.run = [&] { return thunk().hsaKmtUnmapMemoryToGPU(memory.address()); },
            .done = [&] { return Query(memory.address()).mapped_count == 0; },
            .undo = map});
}

KFD_TEST_F(UserData, SurvivesFailingCalls, FailingCallTest,
           .property = "user data survives a mapping and a free that the kernel refuses",
           .rules = "USR-6 USR-2", .scope = Scope::kFirstGpu, .needs = {Capability::kTracer},
           .process = Process::kTraced) {
  int token = 0;
  const Allocation memory = Allocate(MemoryKind::kGtt);
  ASSERT_EQ(thunk().hsaKmtSetMemoryUserData(memory.address(), &token), HSAKMT_STATUS_SUCCESS);
  HSAuint64 gpu_address = 0;
  tracer().FailAll(harness::SyscallMatch::Ioctl(), ENOMEM);
  const HSAKMT_STATUS mapped =
      thunk().hsaKmtMapMemoryToGPU(memory.address(), memory.size(), &gpu_address);
  const HSAKMT_STATUS freed = thunk().hsaKmtFreeMemory(memory.address(), memory.size());
  tracer().Reset();
  EXPECT_NE(mapped, HSAKMT_STATUS_SUCCESS);
  ASSERT_NE(freed, HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Query(memory.address()).user_data, &token);
}

}  // namespace kfdcts::suites
