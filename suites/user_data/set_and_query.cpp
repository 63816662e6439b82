// What is set is what a query returns.
#include "suites/support/memory_test.h"

namespace kfdcts::suites {
namespace {

void* Value(std::uintptr_t bits) { return reinterpret_cast<void*>(bits); }

}  // namespace

KFD_TEST_CASES_F(UserData, SetAndQuery, MemoryTest, kEveryKind,
                 .property = "user data that was set is in the next answer",
                 .rules = "USR-1 PTR-18") {
  const Allocation memory = Allocate(param().kind);
  int token = 0;
  ASSERT_EQ(thunk().hsaKmtSetMemoryUserData(memory.address(), &token), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Query(memory.address()).user_data, &token);
}

KFD_TEST_CASES_F(UserData, NullAtFirst, MemoryTest, kEveryKind,
                 .property = "a new object has no user data", .rules = "USR-5",
                 .scope = Scope::kFirstGpu) {
  const Allocation memory = Allocate(param().kind);
  EXPECT_EQ(Query(memory.address()).user_data, nullptr);
}

KFD_TEST_F(UserData, OfUserPointer, MemoryTest,
           .property = "user data of a registered user pointer is in the next answer",
           .rules = "USR-1 USR-7", .scope = Scope::kFirstGpu, .environment = {"HSA_USE_SVM=0"}) {
  const HostPages pages(2);
  void* const start = pages.At(100);
  const Registration registration(thunk(), start, PageSize());
  ASSERT_EQ(thunk().hsaKmtSetMemoryUserData(start, Value(7)), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Query(start).user_data, Value(7));
}

KFD_TEST_F(UserData, Replaced, MemoryTest, .property = "setting again replaces the value",
           .rules = "USR-3", .scope = Scope::kFirstGpu) {
  const Allocation memory = Allocate(MemoryKind::kGtt);
  for (std::uintptr_t value = 1; value <= 3; ++value) {
    ASSERT_EQ(thunk().hsaKmtSetMemoryUserData(memory.address(), Value(value)),
              HSAKMT_STATUS_SUCCESS);
    EXPECT_EQ(Query(memory.address()).user_data, Value(value));
  }
}

KFD_TEST_F(UserData, Cleared, MemoryTest, .property = "setting null clears the value",
           .rules = "USR-3", .scope = Scope::kFirstGpu) {
  const Allocation memory = Allocate(MemoryKind::kGtt);
  ASSERT_EQ(thunk().hsaKmtSetMemoryUserData(memory.address(), Value(1)), HSAKMT_STATUS_SUCCESS);
  ASSERT_EQ(thunk().hsaKmtSetMemoryUserData(memory.address(), nullptr), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Query(memory.address()).user_data, nullptr);
}

struct PatternCase {
  std::string_view name;
  std::uintptr_t bits;
};
constexpr PatternCase kPatterns[] = {
    {"one", 1},
    {"odd", 0x12345677},
    {"low_half", 0xffffffff},
    {"high_half", 0xffffffff00000000},
    {"top_bit", 0x8000000000000000},
    {"non_canonical", 0x0123456789abcdef},
    {"all_ones", 0xffffffffffffffff},
};

KFD_TEST_CASES_F(UserData, AnyBits, MemoryTest, kPatterns,
                 .property = "any bit pattern comes back as it was set, and is never dereferenced",
                 .rules = "USR-3", .scope = Scope::kFirstGpu) {
  const Allocation memory = Allocate(MemoryKind::kVram);
  ASSERT_EQ(thunk().hsaKmtSetMemoryUserData(memory.address(), Value(param().bits)),
            HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Query(memory.address()).user_data, Value(param().bits));
}

}  // namespace kfdcts::suites
