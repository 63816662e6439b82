// The answer does not depend on which of an object's addresses is asked about.
#include "suites/support/memory_test.h"

namespace kfdcts::suites {

KFD_TEST_CASES_F(PointerInfo, AnswerOfAnyAddress, MemoryTest, kEveryKind,
                 .property = "every address of an allocation has the same answer, in every member",
                 .rules = "PTR-1 PTR-4 PTR-11", .scope = Scope::kFirstGpu) {
  const Allocation memory = Allocate(param().kind);
  MapToNodes(thunk(), memory.address(), memory.size(), {gpu().node_id});
  const PointerInfo start = Query(memory.address());
  ASSERT_TRUE(start.Found());
  const auto page = static_cast<std::ptrdiff_t>(PageSize());
  for (const std::ptrdiff_t offset : {std::ptrdiff_t{1}, page - 1, page, 3 * page - 1}) {
    EXPECT_EQ(Query(memory.At(offset)), start) << offset;
  }
}

KFD_TEST_F(PointerInfo, AnswerOfAnyUserAddress, MemoryTest,
           .property =
               "every address of a user pointer has the same answer, in every member, "
               "addresses for the GPU too",
           .rules = "PTR-1 PTR-5 PTR-11 PTR-12", .scope = Scope::kFirstGpu,
           .environment = {"HSA_USE_SVM=0"}) {
  const HostPages pages(3);
  const std::size_t size = PageSize() + 50;
  const Registration registration(thunk(), pages.At(100), size, {gpu().node_id});
  const PointerInfo start = Query(pages.At(100));
  ASSERT_TRUE(start.Found());
  for (const std::size_t offset : {std::size_t{1}, PageSize(), size - 1}) {
    EXPECT_EQ(Query(pages.At(100 + offset)), start) << offset;
    EXPECT_EQ(suites::Query(thunk(), start.gpu_address + offset), start) << offset;
  }
}

}  // namespace kfdcts::suites
