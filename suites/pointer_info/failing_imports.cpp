// Every system call of registering, sharing and importing fails, one at a time.
#include <unistd.h>

#include <array>
#include <optional>

#include "suites/support/failing_call_test.h"
#include "suites/support/graphics_buffer.h"
#include "suites/support/shared_memory.h"

namespace kfdcts::suites {

KFD_TEST_CASES_F(PointerInfo, FailingRegistration, FailingCallTest, kFailedCalls,
                 .property =
                     "registering a user pointer whose nth system call fails is an error that "
                     "leaves it unknown, or complete; the next one works",
                 .rules = "PTR-3 PTR-5", .scope = Scope::kFirstGpu, .needs = {Capability::kTracer},
                 .environment = {"HSA_USE_SVM=0"}, .process = Process::kTraced) {
  const HostPages pages(2);
  FailEach(param().match(),
           {.run = [&] { return thunk().hsaKmtRegisterMemory(pages.At(7), PageSize()); },
            .done = [&] { return Query(pages.At(7)).Found(); },
            .undo = [&] { return thunk().hsaKmtDeregisterMemory(pages.At(7)); }});
}

KFD_TEST_CASES_F(PointerInfo, FailingDeregistration, FailingCallTest, kFailedCalls,
                 .property =
                     "deregistering a user pointer whose nth system call fails is an error that "
                     "keeps it registered, or complete; the next one works",
                 .rules = "PTR-3 PTR-5 PTR-26", .scope = Scope::kFirstGpu,
                 .needs = {Capability::kTracer}, .environment = {"HSA_USE_SVM=0"},
                 .process = Process::kTraced) {
  const HostPages pages(2);
  const auto register_it = [&] { return thunk().hsaKmtRegisterMemory(pages.At(7), PageSize()); };
  ASSERT_EQ(register_it(), HSAKMT_STATUS_SUCCESS);
  FailEach(param().match(), {.run = [&] { return thunk().hsaKmtDeregisterMemory(pages.At(7)); },
                             .done = [&] { return Query(pages.At(7)).Unknown(); },
                             .undo = register_it});
  EXPECT_EQ(thunk().hsaKmtDeregisterMemory(pages.At(7)), HSAKMT_STATUS_SUCCESS);
}

KFD_TEST_CASES_F(PointerInfo, FailingGraphics, FailingCallTest, kFailedCalls,
                 .property =
                     "registering a dma-buf whose nth system call fails is an error that leaves no "
                     "object, or complete; the next one works",
                 .rules = "PTR-3 PTR-6", .scope = Scope::kFirstGpu,
                 .needs = {Capability::kTracer, Capability::kRenderNode},
                 .process = Process::kTraced) {
  GraphicsBuffer buffer(RenderMinor(), 2 * PageSize(), true);
  constexpr std::array<std::uint32_t, 64> kMetadata = {1, 2, 3};  // more than a first guess
  buffer.SetMetadata(kMetadata);
  HsaGraphicsResourceInfo info{};
  HSAuint32 node = gpu().node_id;
  FailEach(param().match(),
           {.run =
                [&] {
                  info = {};
                  return thunk().hsaKmtRegisterGraphicsHandleToNodes(
                      static_cast<HSAuint64>(buffer.dma_buf()), &info, 1, &node);
                },
            .done = [&] { return Query(info.MemoryAddress).Found(); },
            .undo = [&] { return thunk().hsaKmtDeregisterMemory(info.MemoryAddress); }});
}

KFD_TEST_CASES_F(PointerInfo, FailingShare, FailingCallTest, kFailedCalls,
                 .property =
                     "sharing whose nth system call fails is an error, or gives a good handle; the "
                     "next one works",
                 .rules = "PTR-7", .guards = "BUG-29", .scope = Scope::kFirstGpu,
                 .needs = {Capability::kTracer, Capability::kSharedMemory},
                 .process = Process::kTraced) {
  SharedHandle handle;
  std::optional<Allocation> memory(Allocate(MemoryKind::kVram));
  FailEach(param().match(),
           {.run =
                [&] {
                  handle = {};
                  return thunk().hsaKmtShareMemory(memory->address(), memory->size(),
                                                   &handle.words);
                },
            .done = [&] { return TryImport(thunk(), handle) == HSAKMT_STATUS_SUCCESS; },
            .undo =
                [&] {
                  memory.reset();  // so that the next share makes its calls anew
                  memory.emplace(Allocate(MemoryKind::kVram));
                  return HSAKMT_STATUS_SUCCESS;
                }});
}

KFD_TEST_CASES_F(PointerInfo, FailingImport, FailingCallTest, kFailedCalls,
                 .property =
                     "importing whose nth system call fails is an error that leaves no object, or "
                     "complete; the next one works",
                 .rules = "PTR-3 PTR-7", .guards = "BUG-50", .scope = Scope::kFirstGpu,
                 .needs = {Capability::kTracer, Capability::kSharedMemory},
                 .process = Process::kTraced) {
  const Allocation memory = Allocate(MemoryKind::kVisibleVram);
  const SharedHandle handle = Share(thunk(), memory.address(), memory.size());
  void* address = nullptr;
  HSAuint64 size = 0;
  FailEach(param().match(), {.run =
                                 [&] {
                                   address = nullptr;
                                   return thunk().hsaKmtRegisterSharedHandle(&handle.words,
                                                                             &address, &size);
                                 },
                             .done = [&] { return Query(address).Found(); },
                             .undo = [&] { return thunk().hsaKmtDeregisterMemory(address); }});
}

KFD_TEST_CASES_F(PointerInfo, FailingExport, FailingCallTest, kFailedCalls,
                 .property =
                     "exporting a dma-buf whose nth system call fails is an error that gives no "
                     "descriptor, or complete; the next one works",
                 .rules = "PTR-4", .scope = Scope::kFirstGpu,
                 .needs = {Capability::kTracer, Symbol{"hsaKmtExportDMABufHandle"}},
                 .process = Process::kTraced) {
  const Allocation memory = Allocate(MemoryKind::kGtt);
  int fd = -1;
  HSAuint64 offset = 0;
  FailEach(param().match(),
           {.run =
                [&] {
                  fd = -1;
                  return thunk().hsaKmtExportDMABufHandle(memory.address(), memory.size(), &fd,
                                                          &offset);
                },
            .done = [&] { return fd >= 0; },
            .undo = [&] { return close(fd) == 0 ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_ERROR; }});
}

}  // namespace kfdcts::suites
