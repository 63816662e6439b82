// Addresses that no object holds.
#include <cstdlib>
#include <cstring>
#include <memory>

#include "suites/support/memory_test.h"

namespace kfdcts::suites {
namespace {

int static_object = 0;

const void* NullAddress() { return nullptr; }
const void* LowAddress() { return reinterpret_cast<const void*>(std::uintptr_t{0x1000}); }
const void* NonCanonicalAddress() {
  return reinterpret_cast<const void*>(std::uintptr_t{0x8000'0000'0000});
}
const void* LastAddress() { return reinterpret_cast<const void*>(~std::uintptr_t{0}); }
const void* StaticAddress() { return &static_object; }
const void* CodeAddress() { return reinterpret_cast<const void*>(&LastAddress); }
const void* StackAddress() { return __builtin_frame_address(0); }

struct AddressCase {
  std::string_view name;
  const void* (*address)();
};
constexpr AddressCase kForeign[] = {
    {"null", NullAddress},
    {"low", LowAddress},
    {"non_canonical", NonCanonicalAddress},
    {"last_byte", LastAddress},
    {"static_object", StaticAddress},
    {"code", CodeAddress},
    {"stack", StackAddress},
};

}  // namespace

KFD_TEST_CASES_F(PointerInfo, UnknownAddress, MemoryTest, kForeign,
                 .property = "an address of no object gives UNKNOWN and ERROR", .rules = "PTR-3",
                 .scope = Scope::kFirstGpu) {
  const PointerInfo info = Query(param().address());
  EXPECT_EQ(info.status, HSAKMT_STATUS_ERROR);
  EXPECT_EQ(info.type, HSA_POINTER_UNKNOWN);
}

KFD_TEST_F(PointerInfo, HeapIsUnknown, MemoryTest,
           .property = "memory of malloc that was never registered is unknown", .rules = "PTR-3",
           .scope = Scope::kFirstGpu) {
  const auto heap = std::make_unique<char[]>(1 << 20);
  EXPECT_TRUE(Query(heap.get()).Unknown());
  EXPECT_TRUE(Query(heap.get() + (1 << 19)).Unknown());
}

KFD_TEST_CASES_F(PointerInfo, FreedMemoryIsUnknown, MemoryTest, kEveryKind,
                 .property = "an address of a freed object gives UNKNOWN and ERROR",
                 .rules = "PTR-3") {
  Allocation memory = Allocate(param().kind);
  void* const start = memory.address();
  void* const inside = memory.At(static_cast<std::ptrdiff_t>(PageSize()) + 5);
  ASSERT_TRUE(Query(start).Found());
  memory.Free();
  EXPECT_TRUE(Query(start).Unknown());
  EXPECT_TRUE(Query(inside).Unknown());
}

KFD_TEST_F(PointerInfo, FailedQueryZeroesEverything, MemoryTest,
           .property = "a failed look-up leaves every byte of the structure zero", .rules = "PTR-2",
           .guards = "BUG-8", .scope = Scope::kFirstGpu) {
  HsaPointerInfo answer;
  std::memset(&answer, 0xa5, sizeof(answer));
  EXPECT_EQ(thunk().hsaKmtQueryPointerInfo(StaticAddress(), &answer), HSAKMT_STATUS_ERROR);
  const HsaPointerInfo zero{};
  EXPECT_EQ(std::memcmp(&answer, &zero, sizeof(answer)), 0);
}

KFD_TEST_CASES_F(PointerInfo, EveryFieldIsWritten, MemoryTest, kEveryKind,
                 .property = "an answer does not depend on what the structure held before",
                 .rules = "PTR-1", .guards = "BUG-8", .scope = Scope::kFirstGpu) {
  const Allocation memory = Allocate(param().kind);
  HsaPointerInfo first;
  HsaPointerInfo second;
  std::memset(&first, 0xa5, sizeof(first));
  std::memset(&second, 0x5a, sizeof(second));
  Check("hsaKmtQueryPointerInfo", thunk().hsaKmtQueryPointerInfo(memory.address(), &first));
  Check("hsaKmtQueryPointerInfo", thunk().hsaKmtQueryPointerInfo(memory.address(), &second));
  EXPECT_EQ(std::memcmp(&first, &second, sizeof(first)), 0);
}

KFD_TEST_F(PointerInfo, NothingWrittenBehindTheStructure, MemoryTest,
           .property = "a query writes the structure and nothing behind it", .rules = "PTR-2",
           .scope = Scope::kFirstGpu) {
  struct {
    HsaPointerInfo answer;
    unsigned char behind[64];
  } guarded;
  const Allocation memory = Allocate(MemoryKind::kGtt);
  for (const void* address : {static_cast<const void*>(memory.address()), StaticAddress()}) {
    std::memset(&guarded, 0xa5, sizeof(guarded));
    thunk().hsaKmtQueryPointerInfo(address, &guarded.answer);
    for (const unsigned char byte : guarded.behind) ASSERT_EQ(byte, 0xa5);
  }
}

KFD_TEST_F(PointerInfo, KnownAddressAfterAFailure, MemoryTest,
           .property = "a failed look-up changes nothing for the next one", .rules = "PTR-3",
           .scope = Scope::kFirstGpu) {
  const Allocation memory = Allocate(MemoryKind::kVram);
  const PointerInfo before = Query(memory.address());
  ASSERT_TRUE(Query(StaticAddress()).Unknown());
  const PointerInfo after = Query(memory.address());
  EXPECT_TRUE(after.Found());
  EXPECT_EQ(after.cpu_address, before.cpu_address);
  EXPECT_EQ(after.size, before.size);
}

}  // namespace kfdcts::suites
