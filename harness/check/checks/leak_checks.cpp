// The whole life of a GPU user, many times over in one process: nothing is left.
#include <amdgpu_drm.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "harness/check/fixture.h"
#include "harness/check/target.h"
#include "harness/gpu/gem.h"
#include "harness/gpu/runner.h"
#include "harness/gpu/svm.h"

namespace kfdcts::check {
namespace {

namespace fs = std::filesystem;
using gpu::Buffer;
using gpu::BufferKind;

constexpr std::uint64_t kBytes = 1 << 20;

class Leaks : public GpuCheck {
 public:
  void Round(std::uint32_t seed);
};
ON_EACH_GPU(Leaks);

void Leaks::Round(std::uint32_t seed) {
  gpu::SdmaRunner sdma(session(), gpu());
  gpu::Pm4Runner pm4(session(), gpu());
  const gpu::Queue aql(gpu(), gpu::QueueType::kAql);
  const Buffer vram(gpu(), BufferKind::kVramPrivate, kBytes), gtt(gpu(), BufferKind::kGtt, kBytes),
      user(gpu(), BufferKind::kUserptr, kBytes);
  const gpu::Event event(session().events(), KFD_IOC_EVENT_SIGNAL);
  const gpu::GemObject gem(gpu().render_fd(), kBytes, AMDGPU_GEM_DOMAIN_VRAM, 0);
  gpu::FillPattern(user.span(), seed);
  ASSERT_DONE(sdma.Run(gpu::SdmaPackets()
                           .Copy(vram.address(), user.address(), kBytes)
                           .Copy(gtt.address(), vram.address(), kBytes)
                           .Write(event.slot_address(), event.id())
                           .Trap(event.trigger())));
  ASSERT_DONE(pm4.Run(gpu::Pm4Packets().Nop(8)));
  EXPECT_TRUE(event.Wait().complete());
  EXPECT_EQ(gpu::FirstMismatch(gtt.span(), seed), kBytes);
  if (!gpu::HasSvm(session().kfd())) return;
  const gpu::HostMemory svm(gpu::HostMemory::Kind::kAnonymous, 2 * gpu::kHugePageBytes);
  gpu::FillPattern(svm.span(), seed);
  ASSERT_EQ(gpu::SvmSet(session().kfd(), svm.span(), {{KFD_IOCTL_SVM_ATTR_ACCESS, gpu().id()}}), 0);
  ASSERT_EQ(gpu::SvmPrefetch(session().kfd(), svm.span(), gpu().id()), 0);
}

std::string ReadFile(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::size_t OpenFiles() {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator{}));
}

GPU_CHECK(Leaks, TwentyRoundsLeaveNothing) {
  constexpr std::uint32_t kWarmUp = 3, kRounds = 20;
  const fs::path process = fs::path("/sys/class/kfd/kfd/proc") / std::to_string(getpid());
  std::uint64_t memory = 0;
  std::size_t files = 0;
  std::string maps;
  for (std::uint32_t round = 0; round < kWarmUp + kRounds; ++round) {
    if (round == kWarmUp) {
      memory = SettledMemory(check.session().kfd(), check.gpu().id());
      files = OpenFiles();
      maps = ReadFile("/proc/self/maps");
    }
    check.Round(round);
    ASSERT_FALSE(::testing::Test::HasFailure()) << "round " << round;
  }
  EXPECT_EQ(SettledMemory(check.session().kfd(), check.gpu().id()), memory);
  EXPECT_EQ(OpenFiles(), files);
  EXPECT_EQ(ReadFile("/proc/self/maps"), maps);
  EXPECT_EQ(ReadFile(process / ("vram_" + std::to_string(check.gpu().id()))), "0\n");
  ASSERT_TRUE(fs::is_directory(process / "queues"));
  EXPECT_TRUE(fs::is_empty(process / "queues"));
}

// What a killed process held comes back.
GPU_CHECK(Leaks, KilledProcessGivesItsMemoryBack) {
  const auto& kfd = check.session().kfd();
  const std::uint64_t before = SettledMemory(kfd, check.gpu().id());
  for (int i = 0; i < 3; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      gpu::Session session;
      gpu::SdmaRunner sdma(session, session.gpu(check.GetParam()));
      const Buffer vram(session.gpu(check.GetParam()), BufferKind::kVramPrivate,
                        8 * gpu::kHugePageBytes);
      sdma.Start(gpu::SdmaPackets().Poll(vram.address(), 0xffffffff));
      kill(getpid(), SIGKILL);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
  }
  EXPECT_TRUE(gpu::WaitUntil([&] { return kfd.AvailableMemory(check.gpu().id()) == before; }))
      << kfd.AvailableMemory(check.gpu().id()) << " of " << before;
}

}  // namespace
}  // namespace kfdcts::check
