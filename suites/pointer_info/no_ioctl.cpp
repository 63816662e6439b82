// A query is answered in user space.
#include "suites/support/memory_test.h"

namespace kfdcts::suites {

KFD_TEST_CASES_F(PointerInfo, QueryMakesNoIoctl, MemoryTest, kEveryKind,
                 .property = "queries of mapped memory make no ioctl, the first and later ones",
                 .rules = "PTR-19", .scope = Scope::kFirstGpu, .needs = {Capability::kTracer},
                 .process = Process::kTraced) {
  const Allocation memory = Allocate(param().kind);
  MapToNodes(thunk(), memory.address(), memory.size(), {gpu().node_id});
  tracer().Reset();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(Query(memory.At(i)).Found());
  ExpectNoIoctl();
}

KFD_TEST_F(PointerInfo, UserPointerQueryMakesNoIoctl, MemoryTest,
           .property = "queries of a registered user pointer make no ioctl", .rules = "PTR-19",
           .scope = Scope::kFirstGpu, .needs = {Capability::kTracer},
           .environment = {"HSA_USE_SVM=0"}, .process = Process::kTraced) {
  const HostPages pages(1);
  const Registration registration(thunk(), pages.At(), pages.size(), {gpu().node_id});
  tracer().Reset();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(Query(pages.At()).Found());
  ExpectNoIoctl();
}

KFD_TEST_F(PointerInfo, FailedQueryMakesNoIoctl, MemoryTest,
           .property = "a look-up that fails makes no ioctl", .rules = "PTR-19",
           .scope = Scope::kFirstGpu, .needs = {Capability::kTracer}, .process = Process::kTraced) {
  const HostPages pages(1);
  tracer().Reset();
  EXPECT_TRUE(Query(pages.At()).Unknown());
  EXPECT_TRUE(Query(nullptr).Unknown());
  ExpectNoIoctl();
}

}  // namespace kfdcts::suites
