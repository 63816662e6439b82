// User pointers that are registered more than once, and ranges that overlap (HSA_USE_SVM=0).
#include "suites/support/memory_test.h"

namespace kfdcts::suites {

KFD_TEST_F(PointerInfo, RegisteredTwiceIsOneObject, MemoryTest,
           .property = "a user pointer registered twice is found until it is deregistered twice",
           .rules = "PTR-26", .guards = "BUG-11", .scope = Scope::kFirstGpu,
           .environment = {"HSA_USE_SVM=0"}) {
  const HostPages pages(2);
  Registration first(thunk(), pages.At(), pages.size());
  Registration second(thunk(), pages.At(), pages.size());
  EXPECT_EQ(first.Deregister(), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Query(pages.At()).type, HSA_POINTER_REGISTERED_USER);
  EXPECT_EQ(second.Deregister(), HSAKMT_STATUS_SUCCESS);
  EXPECT_TRUE(Query(pages.At()).Unknown());
  EXPECT_EQ(thunk().hsaKmtDeregisterMemory(pages.At()), HSAKMT_STATUS_MEMORY_NOT_REGISTERED);
}

KFD_TEST_F(PointerInfo, OverlappingRangesAreToldApart, MemoryTest,
           .property = "an address that only one of two overlapping ranges holds finds that one",
           .rules = "PTR-26", .guards = "BUG-4", .scope = Scope::kFirstGpu,
           .environment = {"HSA_USE_SVM=0"}) {
  const HostPages pages(4);
  const std::size_t page = PageSize();
  const Registration outer(thunk(), pages.At(), 3 * page);
  const Registration inner(thunk(), pages.At(page), page);
  const PointerInfo before = Query(pages.At(page - 1));
  EXPECT_EQ(before.cpu_address, pages.At());
  EXPECT_EQ(before.size, 3 * page);
  EXPECT_EQ(Query(pages.At(2 * page)).cpu_address, pages.At());
  EXPECT_EQ(Query(pages.At(3 * page - 1)).cpu_address, pages.At());
  EXPECT_TRUE(Query(pages.At(3 * page)).Unknown());
}

KFD_TEST_F(PointerInfo, SharedAddressFindsARange, MemoryTest,
           .property = "an address that two overlapping ranges hold finds one of them, unmixed",
           .rules = "PTR-26", .guards = "BUG-4", .scope = Scope::kFirstGpu,
           .environment = {"HSA_USE_SVM=0"}) {
  const HostPages pages(4);
  const std::size_t page = PageSize();
  const Registration outer(thunk(), pages.At(), 3 * page);
  const Registration inner(thunk(), pages.At(page), page);
  const PointerInfo info = Query(pages.At(page + 10));
  EXPECT_EQ(info.type, HSA_POINTER_REGISTERED_USER);
  const bool is_outer = info.cpu_address == pages.At() && info.size == 3 * page;
  const bool is_inner = info.cpu_address == pages.At(page) && info.size == page;
  EXPECT_TRUE(is_outer || is_inner) << testing::PrintToString(info);
}

KFD_TEST_F(PointerInfo, SizesOfOneAddressAreToldApart, MemoryTest,
           .property = "of ranges with one start the address finds one that holds it",
           .rules = "PTR-26", .guards = "BUG-4", .scope = Scope::kFirstGpu,
           .environment = {"HSA_USE_SVM=0"}) {
  const HostPages pages(4);
  const std::size_t page = PageSize();
  for (std::size_t count = 1; count <= 3; ++count) {
    Check("hsaKmtRegisterMemory", thunk().hsaKmtRegisterMemory(pages.At(), count * page));
  }
  EXPECT_EQ(Query(pages.At(3 * page - 1)).size, 3 * page);
  EXPECT_GE(Query(pages.At(2 * page - 1)).size, 2 * page);
  EXPECT_TRUE(Query(pages.At(3 * page)).Unknown());
  ForgetUserPointer(thunk(), pages.At());
}

KFD_TEST_F(PointerInfo, SizesOfOneAddressDeregister, MemoryTest,
           .property =
               "an address registered with three sizes is deregistered by three calls, and "
               "a fourth is refused",
           .rules = "PTR-26", .guards = "BUG-13", .scope = Scope::kFirstGpu,
           .environment = {"HSA_USE_SVM=0"}) {
  const HostPages pages(4);
  for (std::size_t count = 1; count <= 3; ++count) {
    Check("hsaKmtRegisterMemory", thunk().hsaKmtRegisterMemory(pages.At(), count * PageSize()));
  }
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(thunk().hsaKmtDeregisterMemory(pages.At()), HSAKMT_STATUS_SUCCESS) << i;
  }
  EXPECT_EQ(thunk().hsaKmtDeregisterMemory(pages.At()), HSAKMT_STATUS_MEMORY_NOT_REGISTERED);
  EXPECT_TRUE(Query(pages.At()).Unknown());
  ForgetUserPointer(thunk(), pages.At());
}

}  // namespace kfdcts::suites
