// A hardware scheduler that answers no more: the driver resets the GPU, tells those who used it,
// and new ones can.
#include <cerrno>

#include "harness/check/director.h"
#include "harness/check/fixture.h"
#include "harness/check/processes.h"
#include "harness/check/target.h"
#include "harness/gpu/runner.h"
#include "harness/gpu/smi_events.h"

namespace kfdcts::check {
namespace {

using gpu::Pm4Packets;
using gpu::SdmaPackets;

class Reset : public GpuCheck {
 public:
  std::string Missing() override {
    if (auto missing = GpuCheck::Missing(); !missing.empty()) return missing;
    return Director(GetParam()).present() ? "" : "GPU has no director";
  }
};

// The driver waits several seconds before it gives the scheduler up, so only the first GPU.
INSTANTIATE_TEST_SUITE_P(, Reset, ::testing::Values(std::size_t{0}), OrdinalName);

std::string WorkAnew(std::size_t ordinal) {
  gpu::Session session;
  gpu::SdmaRunner sdma(session, session.gpu(ordinal));
  if (const auto result = sdma.Run(SdmaPackets().Nop()); !result) return "SDMA: " + result.Text();
  gpu::Pm4Runner pm4(session, session.gpu(ordinal));
  if (const auto result = pm4.Run(Pm4Packets().Nop(2)); !result) return "PM4: " + result.Text();
  return "";
}

GPU_CHECK(Reset, HungSchedulerIsRecovered) {
  ExpectKernelLog("GPU reset begin");
  ExpectKernelLog("qcm fence wait loop timeout expired");
  ExpectKernelLog("unrecoverable state due to an unsuccessful queues preemption");
  ExpectKernelLog("destroy queue . failed, ret -62");
  ExpectKernelLog("Failed to suspend process");
  ExpectKernelLog("Resetting wave fronts|Didn't find vmid for (process|pasid)");
  const std::size_t ordinal = check.GetParam();
  Worker later(
      [ordinal](Worker::Line& line) { return line.Wait() ? WorkAnew(ordinal) : "no start"; });
  const gpu::Event exception(check.session().events(), KFD_IOC_EVENT_HW_EXCEPTION,
                             gpu::Event::Reset::kManual);
  gpu::SmiEvents events(check.gpu(),
                        KFD_SMI_EVENT_MASK_FROM_INDEX(KFD_SMI_EVENT_GPU_PRE_RESET) |
                            KFD_SMI_EVENT_MASK_FROM_INDEX(KFD_SMI_EVENT_GPU_POST_RESET));
  gpu::Queue queue(check.gpu(), gpu::QueueType::kPm4);
  ASSERT_EQ(Director(ordinal).Do("hang-scheduler"), R"({"ok":true})");
  EXPECT_EQ(queue.Destroy(), ETIME);
  const gpu::EventWait wait = exception.Wait();
  ASSERT_TRUE(wait.complete()) << "error " << wait.error << ", result " << wait.result;
  // Kernels of before the runtime interface, as Linux 6.1, copy no data of this event to the
  // process.
  const bool copied = NeedsIoctl(check.session().kfd(), AMDKFD_IOC_RUNTIME_ENABLE, "").empty();
  EXPECT_EQ(wait.data[0].hw_exception_data.gpu_id, copied ? check.gpu().id() : 0U);
  EXPECT_EQ(wait.data[0].hw_exception_data.memory_lost, copied ? 1U : 0U);
  EXPECT_EQ(wait.data[0].hw_exception_data.reset_cause, 0U);  // KFD_HW_EXCEPTION_GPU_HANG
  const auto before = events.Next(), after = events.Next();
  ASSERT_TRUE(before && after);
  EXPECT_EQ(before->type, KFD_SMI_EVENT_GPU_PRE_RESET);
  EXPECT_EQ(after->type, KFD_SMI_EVENT_GPU_POST_RESET);
  later.line().Signal();
  EXPECT_EQ(later.Finish(), "");
}

}  // namespace
}  // namespace kfdcts::check
