// Memory that only the kernel's SVM knows.
#include <sys/ioctl.h>

#include "suites/support/memory_test.h"

namespace kfdcts::suites {
namespace {

// AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, of which the tracer takes type and number only.
constexpr unsigned long kAllocMemoryOfGpu = _IO('K', 0x16);

}  // namespace

KFD_TEST_F(PointerInfo, SvmMemoryIsUnknown, MemoryTest,
           .property =
               "memory that a GPU may access by hsaKmtSVMSetAttr alone is unknown, while "
               "hsaKmtSVMGetAttr tells about it",
           .rules = "PTR-20 PTR-22", .needs = {Capability::kSvm}) {
  const HostPages pages(4);
  HSA_SVM_ATTRIBUTE access{HSA_SVM_ATTR_ACCESS, gpu().node_id};
  ASSERT_EQ(thunk().hsaKmtSVMSetAttr(pages.At(), pages.size(), 1, &access), HSAKMT_STATUS_SUCCESS);
  EXPECT_TRUE(Query(pages.At()).Unknown());
  EXPECT_TRUE(Query(pages.At(pages.size() - 1)).Unknown());
  HSA_SVM_ATTRIBUTE asked{HSA_SVM_ATTR_ACCESS, gpu().node_id};
  ASSERT_EQ(thunk().hsaKmtSVMGetAttr(pages.At(), pages.size(), 1, &asked), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(asked.type, static_cast<HSAuint32>(HSA_SVM_ATTR_ACCESS));
}

// A thunk may register plain memory by SVM, and then keeps no object, or by a user-pointer buffer,
// and then it does. Which one it did shows at the system-call boundary.
KFD_TEST_F(PointerInfo, RegisteredBySvmIsUnknown, MemoryTest,
           .property =
               "registered plain memory is REGISTERED_USER if the thunk made a buffer object "
               "of it, and unknown if it did not",
           .rules = "PTR-5", .scope = Scope::kFirstGpu,
           .needs = {Capability::kSvm, Capability::kTracer}, .environment = {"HSA_USE_SVM=1"},
           .process = Process::kTraced) {
  const HostPages pages(2);
  tracer().Reset();
  const Registration registration(thunk(), pages.At(), pages.size());
  const bool made_object = tracer().Count(harness::SyscallMatch::Ioctl(kAllocMemoryOfGpu)) > 0;
  const PointerInfo info = Query(pages.At());
  if (made_object) {
    EXPECT_EQ(info.type, HSA_POINTER_REGISTERED_USER);
  } else {
    EXPECT_TRUE(info.Unknown()) << testing::PrintToString(info);
  }
}

}  // namespace kfdcts::suites
