// Addresses without memory, and memory without an address. Both came with the calls for virtual
// memory management, of which hsaKmtGetAMDGPUDeviceHandle is one.
#include "suites/support/memory_test.h"

namespace kfdcts::suites {
namespace {

HsaMemFlags OnlyAddress() {
  HsaMemFlags flags{};
  flags.ui32.OnlyAddress = 1;
  return flags;
}

HsaMemFlags NoAddress() {
  HsaMemFlags flags = FlagsFor(MemoryKind::kVram);
  flags.ui32.NoAddress = 1;
  return flags;
}

class ReservationTest : public MemoryTest {
 protected:
  Allocation Reserve(std::size_t pages = 4) const {
    return Allocation(thunk(), 0, pages * PageSize(), OnlyAddress());
  }
};

}  // namespace

KFD_TEST_F(PointerInfo, ReservedInside, ReservationTest,
           .property =
               "every address of a reservation finds it, with its start for the GPU; its "
               "neighbours do not",
           .rules = "PTR-8 PTR-10 PTR-11", .guards = "BUG-10", .scope = Scope::kFirstGpu,
           .needs = {Symbol{"hsaKmtGetAMDGPUDeviceHandle"}}) {
  const Allocation reserved = Reserve();
  const auto end = static_cast<std::ptrdiff_t>(reserved.size());
  const auto start = reinterpret_cast<HSAuint64>(reserved.address());
  for (const std::ptrdiff_t offset : {std::ptrdiff_t{0}, std::ptrdiff_t{1}, end / 2, end - 1}) {
    const PointerInfo info = Query(reserved.At(offset));
    EXPECT_EQ(info.type, HSA_POINTER_RESERVED_ADDR) << offset;
    EXPECT_EQ(info.gpu_address, start);
    EXPECT_EQ(info.cpu_address, nullptr);
  }
  for (const std::ptrdiff_t offset : {std::ptrdiff_t{-1}, end}) {
    EXPECT_NE(Query(reserved.At(offset)).gpu_address, start) << offset;
  }
}

KFD_TEST_F(PointerInfo, ReservedFlags, ReservationTest,
           .property = "MemFlags of a reservation are those that asked for it, its node is 0",
           .rules = "PTR-8 PTR-18", .guards = "BUG-10", .scope = Scope::kFirstGpu,
           .needs = {Symbol{"hsaKmtGetAMDGPUDeviceHandle"}}) {
  const Allocation reserved = Reserve();
  const PointerInfo info = Query(reserved.address());
  EXPECT_EQ(info.flags, OnlyAddress().Value);
  EXPECT_EQ(info.node, 0U);
  EXPECT_EQ(info.size, reserved.size());
  EXPECT_EQ(info.registered_count, 0U);
  EXPECT_EQ(info.mapped_count, 0U);
}

KFD_TEST_F(PointerInfo, ReservedIsNotMapped, ReservationTest,
           .property = "a reservation cannot be mapped, and stays RESERVED_ADDR with no node",
           .rules = "PTR-8 PTR-13", .scope = Scope::kFirstGpu,
           .needs = {Symbol{"hsaKmtGetAMDGPUDeviceHandle"}}) {
  const Allocation reserved = Reserve();
  HSAuint64 gpu_address = 0;
  EXPECT_EQ(thunk().hsaKmtMapMemoryToGPU(reserved.address(), reserved.size(), &gpu_address),
            HSAKMT_STATUS_INVALID_PARAMETER);
  const PointerInfo info = Query(reserved.address());
  EXPECT_EQ(info.type, HSA_POINTER_RESERVED_ADDR);
  EXPECT_EQ(info.mapped_count, 0U);
}

KFD_TEST_F(
    PointerInfo, ReservedFreed, ReservationTest,
    .property = "a reservation that was freed is unknown, and its addresses can be had again",
    .rules = "PTR-3 PTR-8", .scope = Scope::kFirstGpu,
    .needs = {Symbol{"hsaKmtGetAMDGPUDeviceHandle"}}) {
  for (int round = 0; round < 3; ++round) {
    Allocation reserved = Reserve(1 << 18);
    void* const address = reserved.address();
    ASSERT_EQ(Query(address).type, HSA_POINTER_RESERVED_ADDR);
    reserved.Free();
    EXPECT_TRUE(Query(address).Unknown()) << round;
  }
}

KFD_TEST_F(PointerInfo, ReservedAmongMemory, ReservationTest,
           .property = "of a reservation between two allocations each address finds its own object",
           .rules = "PTR-8 PTR-9 PTR-11", .guards = "BUG-9", .scope = Scope::kFirstGpu,
           .needs = {Symbol{"hsaKmtGetAMDGPUDeviceHandle"}}) {
  const Allocation before = Allocate(MemoryKind::kVram);
  const Allocation reserved = Reserve();
  const Allocation after = Allocate(MemoryKind::kGtt);
  EXPECT_EQ(Query(before.At(7)).type, HSA_POINTER_ALLOCATED);
  EXPECT_EQ(Query(reserved.At(7)).type, HSA_POINTER_RESERVED_ADDR);
  EXPECT_EQ(Query(after.At(7)).type, HSA_POINTER_ALLOCATED);
}

KFD_TEST_F(PointerInfo, MemoryWithoutAddress, ReservationTest,
           .property =
               "memory without an address is ALLOCATED, found by its handle, of its GPU's node, "
               "size and flags",
           .rules = "PTR-4 PTR-9 PTR-12", .needs = {Symbol{"hsaKmtGetAMDGPUDeviceHandle"}}) {
  const Allocation memory(thunk(), gpu().node_id, 2 * PageSize(), NoAddress());
  const PointerInfo info = Query(memory.address());
  EXPECT_EQ(info.type, HSA_POINTER_ALLOCATED);
  EXPECT_EQ(info.node, gpu().node_id);
  EXPECT_EQ(info.size, memory.size());
  EXPECT_EQ(info.flags, NoAddress().Value);
  EXPECT_EQ(info.mapped_count, 0U);
}

KFD_TEST_F(PointerInfo, MemoryWithoutAddressIsNotMapped, ReservationTest,
           .property = "memory without an address cannot be mapped, and is unknown once freed",
           .rules = "PTR-3 PTR-12 PTR-13", .scope = Scope::kFirstGpu,
           .needs = {Symbol{"hsaKmtGetAMDGPUDeviceHandle"}}) {
  Allocation memory(thunk(), gpu().node_id, PageSize(), NoAddress());
  void* const handle = memory.address();
  HSAuint64 gpu_address = 0;
  EXPECT_EQ(thunk().hsaKmtMapMemoryToGPU(handle, memory.size(), &gpu_address),
            HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Query(handle).mapped_count, 0U);
  memory.Free();
  EXPECT_TRUE(Query(handle).Unknown());
}

struct FlagCase {
  std::string_view name;
  HsaMemFlags (*flags)();
};
constexpr FlagCase kHalves[] = {{"only_address", OnlyAddress}, {"no_address", NoAddress}};

KFD_TEST_CASES_F(
    UserData, OfHalfAnObject, ReservationTest, kHalves,
    .property = "an address without memory, and memory without an address, keep user data",
    .rules = "USR-1 USR-5 PTR-18", .scope = Scope::kFirstGpu,
    .needs = {Symbol{"hsaKmtGetAMDGPUDeviceHandle"}}) {
  int token = 0;
  const bool has_memory = param().flags().ui32.OnlyAddress == 0;
  const HSAuint32 node = has_memory ? gpu().node_id : 0;
  for (int round = 0; round < 2; ++round) {
    const Allocation half(thunk(), node, 2 * PageSize(), param().flags());
    EXPECT_EQ(Query(half.address()).user_data, nullptr);
    EXPECT_EQ(thunk().hsaKmtSetMemoryUserData(half.address(), &token), HSAKMT_STATUS_SUCCESS);
    EXPECT_EQ(Query(half.address()).user_data, &token);
  }
}

}  // namespace kfdcts::suites
