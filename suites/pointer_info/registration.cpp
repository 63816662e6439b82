// Registering what is not plain memory, and registering by SVM.
#include <sys/ioctl.h>
#include <sys/mman.h>

#include <cerrno>
#include <system_error>

#include "suites/support/graphics_buffer.h"
#include "suites/support/memory_test.h"

namespace kfdcts::suites {
namespace {

constexpr unsigned long kAllocMemoryOfGpu = _IO('K', 0x16);

/// A part of VRAM mapped for the CPU, as a device's BAR is: no page that could be pinned.
class DeviceMapping {
 public:
  explicit DeviceMapping(const GraphicsBuffer& buffer) : size_(buffer.size()) {
    start_ = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, buffer.dma_buf(), 0);
    if (start_ == MAP_FAILED) {
      throw std::system_error(errno, std::generic_category(), "mmap of a dma-buf");
    }
  }
  ~DeviceMapping() { munmap(start_, size_); }
  DeviceMapping(const DeviceMapping&) = delete;
  DeviceMapping& operator=(const DeviceMapping&) = delete;

  void* start() const { return start_; }
  std::size_t size() const { return size_; }

 private:
  void* start_;
  std::size_t size_;
};

}  // namespace

KFD_TEST_F(PointerInfo, DeviceMappingIsNoUserPointer, MemoryTest,
           .property =
               "registering a mapping of a device is refused by an error, leaves nothing behind, "
               "and the next registration works",
           .rules = "PTR-5 PTR-3", .guards = "BUG-26", .scope = Scope::kFirstGpu,
           .needs = {Capability::kRenderNode}, .environment = {"HSA_USE_SVM=0"}) {
  const GraphicsBuffer buffer(RenderMinor(), 4 * PageSize(), true);
  const DeviceMapping device(buffer);
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(thunk().hsaKmtRegisterMemory(device.start(), device.size()), HSAKMT_STATUS_ERROR);
    EXPECT_TRUE(Query(device.start()).Unknown());
  }
  const HostPages pages(1);
  const Registration registration(thunk(), pages.At(), pages.size());
  EXPECT_EQ(Query(pages.At()).type, HSA_POINTER_REGISTERED_USER);
}

KFD_TEST_F(PointerInfo, UnmappedIsNoUserPointer, MemoryTest,
           .property = "registering addresses that hold no memory is refused and leaves nothing",
           .rules = "PTR-5 PTR-3", .scope = Scope::kFirstGpu, .environment = {"HSA_USE_SVM=0"}) {
  void* gone = nullptr;
  {
    const HostPages pages(8);
    gone = pages.At();
  }
  EXPECT_NE(thunk().hsaKmtRegisterMemory(gone, 8 * PageSize()), HSAKMT_STATUS_SUCCESS);
  EXPECT_TRUE(Query(gone).Unknown());
  EXPECT_EQ(thunk().hsaKmtDeregisterMemory(gone), HSAKMT_STATUS_MEMORY_NOT_REGISTERED);
}

KFD_TEST_F(PointerInfo, UserPointerMapped, MemoryTest,
           .property =
               "a mapped user pointer lists its node, is not lost by unmapping, and keeps its "
               "exact length",
           .rules = "PTR-5 PTR-13 PTR-15", .environment = {"HSA_USE_SVM=0"}) {
  const HostPages pages(2);
  void* const start = pages.At(48);
  const Registration registration(thunk(), start, 1000, {gpu().node_id});
  HSAuint64 gpu_address = 0;
  ASSERT_EQ(thunk().hsaKmtMapMemoryToGPU(start, 1000, &gpu_address), HSAKMT_STATUS_SUCCESS);
  const PointerInfo info = Query(start);
  EXPECT_EQ(MappedNodes(info), std::set<HSAuint32>{gpu().node_id});
  EXPECT_EQ(info.gpu_address, gpu_address);
  EXPECT_EQ(info.size, 1000U);
  ASSERT_EQ(thunk().hsaKmtUnmapMemoryToGPU(start), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Query(start).mapped_count, 0U);
  EXPECT_EQ(Query(start).type, HSA_POINTER_REGISTERED_USER);
}

// A thunk that registers by SVM keeps no object; what a GPU may do shows in the attributes.
KFD_TEST_F(PointerInfo, RegisteredAnewBySvm, MemoryTest,
           .property =
               "plain memory that was registered in part, deregistered, and registered whole is "
               "within every GPU's reach",
           .rules = "PTR-5 PTR-20", .guards = "BUG-14",
           .needs = {Capability::kSvm, Capability::kTracer}, .environment = {"HSA_USE_SVM=1"},
           .process = Process::kTraced) {
  const HostPages pages(2);
  tracer().Reset();
  { const Registration part(thunk(), pages.At(16), 16); }
  const Registration whole(thunk(), pages.At(), pages.size());
  const bool made_object = tracer().Count(harness::SyscallMatch::Ioctl(kAllocMemoryOfGpu)) > 0;
  tracer().Reset();
  if (made_object) {
    EXPECT_EQ(Query(pages.At()).size, pages.size());
    return;
  }
  EXPECT_TRUE(Query(pages.At()).Unknown());
  HSA_SVM_ATTRIBUTE access{HSA_SVM_ATTR_ACCESS, gpu().node_id};
  ASSERT_EQ(thunk().hsaKmtSVMGetAttr(pages.At(), pages.size(), 1, &access), HSAKMT_STATUS_SUCCESS);
  EXPECT_NE(access.type, static_cast<HSAuint32>(HSA_SVM_ATTR_NO_ACCESS));
}

}  // namespace kfdcts::suites
