// What becomes of GPU accesses without a mapping: recovered with XNACK, else told to the process.
#include <sys/mman.h>
#include <unistd.h>

#include <vector>

#include "harness/check/fixture.h"
#include "harness/check/target.h"
#include "harness/gpu/pagemap.h"
#include "harness/gpu/runner.h"
#include "harness/gpu/smi_events.h"
#include "harness/gpu/svm.h"

namespace kfdcts::check {
namespace {

using gpu::BufferKind;
using gpu::CountPages;
using gpu::HostMemory;
using gpu::PageCounts;
using gpu::SdmaPackets;
using gpu::SdmaRunner;
using gpu::WorkResult;

constexpr std::uint64_t kBytes = 64 * 1024;

class RetryFaults : public GpuCheck {
 public:
  std::string Missing() override {
    if (auto missing = GpuCheck::Missing(); !missing.empty()) return missing;
    return NeedsXnack(session());
  }
};
ON_EACH_GPU(RetryFaults);

// Memory that nobody registered: the faults map it, and move it to VRAM by granules of 2 MiB.
GPU_CHECK(RetryFaults, UnregisteredMemoryIsMapped) {
  SKIP_UNLESS(NeedsNoSwap());
  SdmaRunner sdma(check.session(), check.gpu());
  const HostMemory source(HostMemory::Kind::kAnonymous, gpu::kHugePageBytes);
  const HostMemory destination(HostMemory::Kind::kAnonymous, gpu::kHugePageBytes);
  gpu::FillPattern(source.span(), 1);
  gpu::FillPattern(destination.span(), 2);
  ASSERT_DONE(sdma.Run(SdmaPackets().Copy(destination.address(), source.address(), kBytes)));
  constexpr PageCounts kInVram{.present = 0, .swapped = 512, .absent = 0};
  EXPECT_EQ(CountPages(source.span()), kInVram);
  EXPECT_EQ(CountPages(destination.span()), kInVram);
  EXPECT_EQ(gpu::FirstMismatch(destination.span().first(kBytes), 1), kBytes);
  EXPECT_EQ(gpu::FirstMismatch(source.span(), 1), source.bytes());
  const auto* const behind = reinterpret_cast<std::uint32_t*>(destination.data() + kBytes);
  EXPECT_EQ(*behind, gpu::PatternWord(kBytes, 2)) << "beyond the copy";
}

GPU_CHECK(RetryFaults, AreReportedAsEvents) {
  gpu::SmiEvents events(check.gpu(),
                        KFD_SMI_EVENT_MASK_FROM_INDEX(KFD_SMI_EVENT_PAGE_FAULT_START) |
                            KFD_SMI_EVENT_MASK_FROM_INDEX(KFD_SMI_EVENT_PAGE_FAULT_END));
  SdmaRunner sdma(check.session(), check.gpu());
  const HostMemory memory(HostMemory::Kind::kAnonymous, gpu::kHugePageBytes);
  gpu::FillPattern(memory.span(), 3);
  const std::uint64_t touched = memory.address() + 5 * gpu::kPageBytes;
  ASSERT_DONE(sdma.Run(SdmaPackets().Write(touched + 12, 0x1234)));
  const auto start = events.NextOf(KFD_SMI_EVENT_PAGE_FAULT_START);
  ASSERT_TRUE(start);
  EXPECT_EQ(start->process, static_cast<std::uint32_t>(getpid()));
  EXPECT_EQ(start->address, touched);
  EXPECT_EQ(start->node, check.gpu().id());
  EXPECT_EQ(start->access, 'W');
  const auto end = events.NextOf(KFD_SMI_EVENT_PAGE_FAULT_END);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->address, touched);
  EXPECT_EQ(end->access, 'M') << "migrated";
  EXPECT_EQ(*reinterpret_cast<std::uint32_t*>(memory.data() + 5 * gpu::kPageBytes + 12), 0x1234U);
}

// A range that prefers system memory is mapped where it is.
GPU_CHECK(RetryFaults, PreferredLocationIsKept) {
  SKIP_UNLESS(NeedsNoSwap());
  SdmaRunner sdma(check.session(), check.gpu());
  const HostMemory memory(HostMemory::Kind::kAnonymous, gpu::kHugePageBytes);
  gpu::FillPattern(memory.span(), 4);
  ASSERT_EQ(gpu::SvmSet(check.session().kfd(), memory.span(),
                        {{KFD_IOCTL_SVM_ATTR_PREFERRED_LOC, KFD_IOCTL_SVM_LOCATION_SYSMEM}}),
            0);
  ASSERT_DONE(sdma.Run(SdmaPackets().Write(memory.address(), 0x5678)));
  EXPECT_EQ(CountPages(memory.span()), (PageCounts{.present = 512, .swapped = 0, .absent = 0}));
  EXPECT_EQ(*memory.as<std::uint32_t>(), 0x5678U);
}

// After the CPU took the pages back, the GPU's next access faults anew.
GPU_CHECK(RetryFaults, PagesThatTheCpuTookBackFaultAgain) {
  SKIP_UNLESS(NeedsNoSwap());
  SdmaRunner sdma(check.session(), check.gpu());
  const HostMemory memory(HostMemory::Kind::kAnonymous, gpu::kHugePageBytes);
  gpu::FillPattern(memory.span(), 5);
  for (std::uint32_t round = 1; round <= 5; ++round) {
    ASSERT_DONE(sdma.Run(SdmaPackets().Write(memory.address() + 64, round)));
    EXPECT_EQ(CountPages(memory.span()), (PageCounts{.present = 0, .swapped = 512, .absent = 0}))
        << round;
    EXPECT_EQ(memory.as<std::uint32_t>()[16], round);
    EXPECT_EQ(CountPages(memory.span()), (PageCounts{.present = 512, .swapped = 0, .absent = 0}))
        << round;
  }
}

class Faults : public GpuCheck {
 public:
  /// Declares what the kernel says about a fault that it cannot recover from.
  static void ExpectFaultLog() {
    ExpectKernelLog(R"(\[(gfxhub|mmhub)\d?\] (no-)?retry page fault)");
    ExpectKernelLog(R"( (for )?[Pp]rocess .* pid \d+ thread )");
    ExpectKernelLog(R"(in page starting at address 0x)");
    ExpectKernelLog(R"(VM_L2_PROTECTION_FAULT_STATUS:0x)");
    ExpectKernelLog(R"(Faulty UTCL2 client ID)");
    ExpectKernelLog(R"((MORE_FAULTS|WALKER_ERROR|PERMISSION_FAULTS|MAPPING_ERROR|RW): 0x)");
  }
  /// Reserved addresses that nothing is mapped at, for CPU or GPU.
  std::uint64_t Hole() {
    if (hole_.data() == nullptr) {
      hole_ = HostMemory(HostMemory::Kind::kReserved, gpu::kHugePageBytes);
      munmap(hole_.data(), hole_.bytes());
    }
    return hole_.address();
  }
  void ExpectFault(const WorkResult& result, std::uint64_t address, bool write, bool present) {
    ASSERT_EQ(result.end, WorkResult::End::kFault) << result.Text();
    EXPECT_EQ(result.fault.va, address & ~(gpu::kPageBytes - 1));
    EXPECT_EQ(result.fault.gpu_id, gpu().id());
    EXPECT_EQ(result.fault.failure.NotPresent, present ? 0U : 1U);
    EXPECT_EQ(result.fault.failure.ReadOnly, write ? 1U : 0U);
    EXPECT_EQ(result.fault.failure.NoExecute, 0U);
    EXPECT_EQ(result.fault.failure.imprecise, 0U);
    EXPECT_EQ(result.fault.ErrorType, 0U);
  }

 private:
  HostMemory hole_;
};
ON_EACH_GPU(Faults);

GPU_CHECK(Faults, ReadOfNothing) {
  Faults::ExpectFaultLog();
  SdmaRunner sdma(check.session(), check.gpu());
  const gpu::Buffer buffer(check.gpu(), BufferKind::kGtt, gpu::kPageBytes);
  const std::uint64_t bad = check.Hole() + 3 * gpu::kPageBytes;
  check.ExpectFault(sdma.Run(SdmaPackets().Copy(buffer.address(), bad + 8, 64)), bad, false, false);
}

GPU_CHECK(Faults, WriteToNothing) {
  Faults::ExpectFaultLog();
  SdmaRunner sdma(check.session(), check.gpu());
  const std::uint64_t bad = check.Hole() + 7 * gpu::kPageBytes;
  check.ExpectFault(sdma.Run(SdmaPackets().Write(bad + 40, 1)), bad, true, false);
}

GPU_CHECK(Faults, ComputeQueueWriteToNothing) {
  Faults::ExpectFaultLog();
  gpu::Pm4Runner pm4(check.session(), check.gpu());
  const std::uint64_t bad = check.Hole() + 9 * gpu::kPageBytes;
  check.ExpectFault(pm4.Run(gpu::Pm4Packets().WriteData(bad, 1)), bad, true, false);
}

// Not touched while it was mapped: the driver flushes no TLB after an unmap on GFX9 before 9.4.
GPU_CHECK(Faults, UnmappedBufferIsNothing) {
  Faults::ExpectFaultLog();
  SdmaRunner sdma(check.session(), check.gpu());
  gpu::Buffer buffer(check.gpu(), BufferKind::kVramPrivate, gpu::kHugePageBytes);
  ASSERT_EQ(buffer.Unmap(check.gpu()), 0);
  check.ExpectFault(sdma.Run(SdmaPackets().Fill(buffer.address(), 2, 4096)), buffer.address(), true,
                    false);
}

GPU_CHECK(Faults, ReportTheirProcessAsEvent) {
  Faults::ExpectFaultLog();
  gpu::SmiEvents events(check.gpu(), KFD_SMI_EVENT_MASK_FROM_INDEX(KFD_SMI_EVENT_VMFAULT));
  SdmaRunner sdma(check.session(), check.gpu());
  const WorkResult result = sdma.Run(SdmaPackets().Write(check.Hole(), 1));
  ASSERT_EQ(result.end, WorkResult::End::kFault) << result.Text();
  const auto event = events.Next();
  ASSERT_TRUE(event);
  EXPECT_EQ(event->type, KFD_SMI_EVENT_VMFAULT);
  EXPECT_EQ(event->process, static_cast<std::uint32_t>(getpid()));
}

}  // namespace
}  // namespace kfdcts::check
