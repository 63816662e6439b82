// Queues that the kernel takes off the GPU and puts back: because memory moved, because others want
// the VRAM, because there are more processes than VMIDs.
#include <amdgpu_drm.h>
#include <sys/mman.h>
#include <unistd.h>

#include <vector>

#include "harness/check/fixture.h"
#include "harness/check/processes.h"
#include "harness/check/target.h"
#include "harness/gpu/gem.h"
#include "harness/gpu/runner.h"
#include "harness/gpu/smi_events.h"
#include "harness/gpu/svm.h"

namespace kfdcts::check {
namespace {

using gpu::Buffer;
using gpu::BufferKind;
using gpu::SdmaPackets;
using gpu::SdmaRunner;
using gpu::SmiEvents;

constexpr std::uint64_t kBytes = 1 << 20;
constexpr std::uint64_t kQueueEvents = KFD_SMI_EVENT_MASK_FROM_INDEX(KFD_SMI_EVENT_QUEUE_EVICTION) |
                                       KFD_SMI_EVENT_MASK_FROM_INDEX(KFD_SMI_EVENT_QUEUE_RESTORE);

class Evict : public GpuCheck {
 public:
  /// The next events are an eviction for this reason and a restore.
  void ExpectEvictionAndRestore(SmiEvents& events, std::uint32_t trigger) {
    const auto eviction = events.Next();
    ASSERT_TRUE(eviction);
    EXPECT_EQ(eviction->type, KFD_SMI_EVENT_QUEUE_EVICTION);
    EXPECT_EQ(eviction->process, static_cast<std::uint32_t>(getpid()));
    EXPECT_EQ(eviction->node, gpu().id());
    EXPECT_EQ(eviction->trigger, trigger);
    for (;;) {
      const auto restore = events.Next();
      ASSERT_TRUE(restore) << "no restore";
      ASSERT_EQ(restore->type, KFD_SMI_EVENT_QUEUE_RESTORE);
      EXPECT_EQ(restore->node, gpu().id());
      if (restore->access != 'R') return;  // else it is put off
    }
  }
};
ON_EACH_GPU(Evict);

/// All words of the copy that the GPU makes of `address` are 0.
void ExpectZeroes(SdmaRunner& sdma, gpu::Gpu& gpu, std::uint64_t address, std::uint64_t bytes) {
  const Buffer copy(gpu, BufferKind::kGtt, bytes);
  gpu::FillPattern(copy.span(), 9);
  ASSERT_DONE(sdma.Run(SdmaPackets().Copy(copy.address(), address, bytes)));
  for (std::size_t i = 0; i < bytes / 4; ++i)
    ASSERT_EQ(copy.as<std::uint32_t>()[i], 0U) << "word " << i;
}

GPU_CHECK(Evict, UserPagesThatAreReplaced) {
  SdmaRunner sdma(check.session(), check.gpu());
  const Buffer user(check.gpu(), BufferKind::kUserptr, kBytes);
  ASSERT_DONE(sdma.Run(SdmaPackets().Fill(user.address(), 7, kBytes)));
  ASSERT_EQ(user.as<std::uint32_t>()[kBytes / 4 - 1], 7U);
  SmiEvents events(check.gpu(), kQueueEvents);
  ASSERT_EQ(madvise(user.data(), kBytes, MADV_DONTNEED), 0);
  check.ExpectEvictionAndRestore(events, KFD_QUEUE_EVICTION_TRIGGER_USERPTR);
  ExpectZeroes(sdma, check.gpu(), user.address(), kBytes);
}

GPU_CHECK(Evict, SvmPagesThatAreReplacedWithoutXnack) {
  SKIP_UNLESS(NeedsSvm(check.session()));
  ASSERT_EQ(check.session().kfd().SetXnackMode(0), 0);
  SdmaRunner sdma(check.session(), check.gpu());
  const gpu::HostMemory memory(gpu::HostMemory::Kind::kAnonymous, gpu::kHugePageBytes);
  gpu::FillPattern(memory.span(), 1);
  ASSERT_EQ(gpu::SvmSet(check.session().kfd(), memory.span(),
                        {{KFD_IOCTL_SVM_ATTR_PREFERRED_LOC, KFD_IOCTL_SVM_LOCATION_SYSMEM},
                         {KFD_IOCTL_SVM_ATTR_ACCESS, check.gpu().id()}}),
            0);
  ASSERT_DONE(sdma.Run(SdmaPackets().Fill(memory.address(), 7, kBytes)));
  SmiEvents events(check.gpu(), kQueueEvents);
  ASSERT_EQ(madvise(memory.data(), memory.bytes(), MADV_DONTNEED), 0);
  check.ExpectEvictionAndRestore(events, KFD_QUEUE_EVICTION_TRIGGER_SVM);
  ExpectZeroes(sdma, check.gpu(), memory.address(), kBytes);
}

// Another process's DRM buffers push this one's VRAM out; its queues stop, and go on with all data.
GPU_CHECK(Evict, VramThatOthersWant) {
  const gpu::GpuNode node = gpu::ReadTopology().gpus[check.GetParam()];
  const std::uint64_t ours = node.vram_bytes / 4, theirs = node.vram_bytes * 13 / 16;
  Worker other([&](Worker::Line& line) -> std::string {
    const gpu::UniqueFd render = gpu::OpenRenderNode(node);
    if (!line.Wait()) return "no start";
    const gpu::GemObject object(render.get(), theirs, AMDGPU_GEM_DOMAIN_VRAM, 0);
    line.Signal();
    line.Wait();
    return "";
  });
  SdmaRunner sdma(check.session(), check.gpu());
  const Buffer vram(check.gpu(), BufferKind::kVramPrivate, ours),
      view(check.gpu(), BufferKind::kGtt, kBytes);
  gpu::FillPattern(view.span(), 1);
  ASSERT_DONE(sdma.Run(SdmaPackets()
                           .Fill(vram.address(), 5, ours)
                           .Copy(vram.address() + ours / 2, view.address(), kBytes)));
  SmiEvents events(check.gpu(), kQueueEvents);
  other.line().Signal();
  ASSERT_TRUE(other.line().Wait()) << other.Finish();
  check.ExpectEvictionAndRestore(events, KFD_QUEUE_EVICTION_TRIGGER_TTM);
  gpu::FillPattern(view.span(), 2);
  ASSERT_DONE(sdma.Run(SdmaPackets().Copy(view.address(), vram.address() + ours / 2, kBytes)));
  EXPECT_EQ(gpu::FirstMismatch(view.span(), 1), kBytes);
  ASSERT_DONE(sdma.Run(SdmaPackets().Copy(view.address(), vram.address() + ours - kBytes, kBytes)));
  for (std::size_t i = 0; i < kBytes / 4; ++i)
    ASSERT_EQ(view.as<std::uint32_t>()[i], 5U) << "word " << i;
  other.line().Signal();
  EXPECT_EQ(other.Finish(), "");
}

class Crowd : public GpuCheck {};
ON_EACH_GPU(Crowd);

/// Rounds of work on a compute queue, with a check of each result.
std::string WorkRounds(gpu::Pm4Runner& pm4, gpu::Gpu& gpu, std::uint32_t rounds,
                       std::uint32_t seed) {
  const Buffer buffer(gpu, BufferKind::kGtt, gpu::kPageBytes);
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const std::uint32_t value = seed * 1000 + round;
    const gpu::WorkResult result = pm4.Run(gpu::Pm4Packets().WriteData(buffer.address(), value));
    if (!result) return "round " + std::to_string(round) + ": " + result.Text();
    if (*buffer.as<std::uint32_t>() != value)
      return "round " + std::to_string(round) + ": wrong value";
  }
  return "";
}

// GFX9 has 16 VMIDs and KFD gets 8 of them. All processes have a queue at the same time, and each
// makes progress.
GPU_CHECK(Crowd, MoreProcessesThanVmids) {
  constexpr std::size_t kProcesses = 20;
  constexpr std::uint32_t kRounds = 5;
  std::vector<Worker> workers;
  for (std::uint32_t i = 0; i < kProcesses; ++i) {
    workers.emplace_back([&check, i](Worker::Line& line) -> std::string {
      gpu::Session session;
      gpu::Gpu& gpu = session.gpu(check.GetParam());
      // All save areas together are more than the VRAM.
      gpu::Pm4Runner pm4(session, gpu, {.save_kind = BufferKind::kGtt});
      line.Signal();
      if (!line.Wait()) return "no start";
      const std::string text = WorkRounds(pm4, gpu, kRounds, i);
      line.Signal();
      line.Wait();
      return text;
    });
  }
  for (std::size_t i = 0; i < kProcesses; ++i)
    ASSERT_TRUE(workers[i].line().Wait()) << i << ": " << workers[i].Finish();
  for (Worker& worker : workers) worker.line().Signal();
  for (std::size_t i = 0; i < kProcesses; ++i) EXPECT_TRUE(workers[i].line().Wait()) << i;
  for (Worker& worker : workers) worker.line().Signal();
  for (std::size_t i = 0; i < kProcesses; ++i)
    EXPECT_EQ(workers[i].Finish(), "") << "process " << i;
}

}  // namespace
}  // namespace kfdcts::check
