// Which addresses set user data, and which return it.
#include "suites/support/memory_test.h"

namespace kfdcts::suites {
namespace {

int token = 0;
int other_token = 0;

}  // namespace

KFD_TEST_CASES_F(UserData, SeenThroughAnyAddress, MemoryTest, kEveryKind,
                 .property = "a query through any address of the object returns its user data",
                 .rules = "USR-4", .scope = Scope::kFirstGpu) {
  const Allocation memory = Allocate(param().kind);
  ASSERT_EQ(thunk().hsaKmtSetMemoryUserData(memory.address(), &token), HSAKMT_STATUS_SUCCESS);
  const auto page = static_cast<std::ptrdiff_t>(PageSize());
  for (const std::ptrdiff_t offset :
       {std::ptrdiff_t{1}, page - 1, page, 2 * page + 9, 3 * page - 1}) {
    EXPECT_EQ(Query(memory.At(offset)).user_data, &token) << offset;
  }
}

KFD_TEST_F(UserData, OtherObjectsUntouched, MemoryTest,
           .property = "setting user data of one object changes no other", .rules = "USR-4",
           .scope = Scope::kFirstGpu) {
  const Allocation left = Allocate(MemoryKind::kGtt);
  const Allocation middle = Allocate(MemoryKind::kGtt);
  const Allocation right = Allocate(MemoryKind::kVram);
  ASSERT_EQ(thunk().hsaKmtSetMemoryUserData(left.address(), &other_token), HSAKMT_STATUS_SUCCESS);
  ASSERT_EQ(thunk().hsaKmtSetMemoryUserData(middle.address(), &token), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Query(left.address()).user_data, &other_token);
  EXPECT_EQ(Query(middle.address()).user_data, &token);
  EXPECT_EQ(Query(right.address()).user_data, nullptr);
}

KFD_TEST_CASES_F(UserData, SetByFirstPage, MemoryTest, kEveryKind,
                 .property = "any address in the object's first page sets its user data",
                 .rules = "USR-7", .scope = Scope::kFirstGpu) {
  const Allocation memory = Allocate(param().kind);
  const auto last = static_cast<std::ptrdiff_t>(PageSize()) - 1;
  EXPECT_EQ(thunk().hsaKmtSetMemoryUserData(memory.At(last), &token), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Query(memory.address()).user_data, &token);
}

KFD_TEST_CASES_F(
    UserData, NotSetByLaterPage, MemoryTest, kEveryKind,
    .property = "an address in a later page of the object is an error and sets nothing",
    .rules = "USR-2 USR-7", .scope = Scope::kFirstGpu) {
  const Allocation memory = Allocate(param().kind);
  ASSERT_EQ(thunk().hsaKmtSetMemoryUserData(memory.address(), &token), HSAKMT_STATUS_SUCCESS);
  const auto page = static_cast<std::ptrdiff_t>(PageSize());
  for (const std::ptrdiff_t offset : {page, 2 * page + 1, 3 * page - 1}) {
    EXPECT_EQ(thunk().hsaKmtSetMemoryUserData(memory.At(offset), &other_token),
              HSAKMT_STATUS_ERROR);
  }
  EXPECT_EQ(Query(memory.address()).user_data, &token);
}

KFD_TEST_F(UserData, OfOverlappingRanges, MemoryTest,
           .property = "each of two overlapping ranges of user memory has user data of its own",
           .rules = "USR-4 USR-7", .guards = "BUG-4", .scope = Scope::kFirstGpu,
           .environment = {"HSA_USE_SVM=0"}) {
  const HostPages pages(4);
  const Registration outer(thunk(), pages.At(), 3 * PageSize());
  const Registration inner(thunk(), pages.At(PageSize()), PageSize());
  ASSERT_EQ(thunk().hsaKmtSetMemoryUserData(pages.At(), &token), HSAKMT_STATUS_SUCCESS);
  ASSERT_EQ(thunk().hsaKmtSetMemoryUserData(pages.At(PageSize()), &other_token),
            HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Query(pages.At(10)).user_data, &token);
  EXPECT_EQ(Query(pages.At(2 * PageSize() + 10)).user_data, &token);
}

KFD_TEST_F(UserData, AmbiguousPointerIsAnError, MemoryTest,
           .property = "a user pointer that is registered with two sizes cannot be given user data",
           .rules = "USR-7", .scope = Scope::kFirstGpu, .environment = {"HSA_USE_SVM=0"}) {
  const HostPages pages(2);
  Check("hsaKmtRegisterMemory", thunk().hsaKmtRegisterMemory(pages.At(), PageSize()));
  Check("hsaKmtRegisterMemory", thunk().hsaKmtRegisterMemory(pages.At(), 2 * PageSize()));
  EXPECT_EQ(thunk().hsaKmtSetMemoryUserData(pages.At(), &token), HSAKMT_STATUS_ERROR);
  EXPECT_EQ(Query(pages.At(PageSize() + 1)).user_data, nullptr);
  ForgetUserPointer(thunk(), pages.At());
}

}  // namespace kfdcts::suites
