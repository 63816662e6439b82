// Plain calls mean the primary context, whichever others there are.
#include "suites/support/context.h"
#include "suites/support/memory_test.h"

namespace kfdcts::suites {

KFD_TEST_F(PointerInfo, PlainCallsStayOnThePrimary, MemoryTest,
           .property =
               "with a second context open, plain calls make memory of the primary one "
               "and find it, before and after the second one closes",
           .rules = "PTR-23 PTR-24", .scope = Scope::kFirstGpu,
           .needs = {Capability::kSecondaryContext}) {
  const PrimaryContext primary(thunk());
  SecondaryContext second(thunk());
  const Allocation memory = Allocate(MemoryKind::kGtt);
  const PointerInfo plain = Query(memory.address());
  EXPECT_TRUE(plain.Found());
  EXPECT_EQ(QueryCtx(thunk(), primary.get(), memory.address()), plain);
  EXPECT_TRUE(QueryCtx(thunk(), second.get(), memory.address()).Unknown());
  ASSERT_EQ(second.Close(), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Query(memory.address()), plain);
}

KFD_TEST_F(PointerInfo, PlainCallsDoNotFindASecondContexts, MemoryTest,
           .property = "plain queries know nothing of a second context's memory",
           .rules = "PTR-23 PTR-24", .scope = Scope::kFirstGpu,
           .needs = {Capability::kSecondaryContext}) {
  const SecondaryContext second(thunk());
  const ContextAllocation memory(thunk(), second.get(), cpu_node(), PageSize(),
                                 FlagsFor(MemoryKind::kGtt));
  EXPECT_TRUE(QueryCtx(thunk(), second.get(), memory.address()).Found());
  EXPECT_TRUE(Query(memory.address()).Unknown());
}

KFD_TEST_F(PointerInfo, NullOutputOfPlainAndCtx, MemoryTest,
           .property = "a null output is the same error for the plain query as for the …Ctx query",
           .rules = "PTR-17 PTR-23", .scope = Scope::kFirstGpu,
           .needs = {Symbol{"hsaKmtOpenKFDCtx"}}) {
  const PrimaryContext primary(thunk());
  const Allocation memory = Allocate(MemoryKind::kGtt);
  for (const void* address :
       {static_cast<const void*>(memory.address()), static_cast<const void*>(&primary),
        static_cast<const void*>(nullptr)}) {
    EXPECT_EQ(thunk().hsaKmtQueryPointerInfo(address, nullptr), HSAKMT_STATUS_INVALID_PARAMETER);
    EXPECT_EQ(thunk().hsaKmtQueryPointerInfoCtx(primary.get(), address, nullptr),
              HSAKMT_STATUS_INVALID_PARAMETER);
  }
}

}  // namespace kfdcts::suites
