// Tests that are rough with their process, their runner, their kernel and their GPU.
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <string>

#include "harness/gpu/runner.h"
#include "harness/probes/kernel_log_device.h"
#include "harness/test_support/kfd_test.h"
#include "harness/vm/base/files.h"
#include "harness/vm/guest_run.h"

namespace kfdcts::harness {
namespace {

constexpr auto kCpu = Scope::kCpu;
constexpr auto kClosed = KfdState::kClosed;
constexpr std::chrono::seconds kShort{1};
constexpr std::size_t kMegabyte = std::size_t{1} << 20;

void RequireGuest() {
  if (access(vm::kGuestShare, W_OK) != 0) throw CapabilityMissing("guest", "this is no guest");
}

/// A child in a session of its own, which nobody ends or waits for.
void LeaveProcess() {
  auto [read_end, write_end] = vm::MakePipe();
  const pid_t child = fork();
  ASSERT_LE(0, child);
  if (child == 0) {
    setsid();
    prctl(PR_SET_NAME, "left-over");
    write_end.Reset();
    for (;;) pause();
  }
  write_end.Reset();
  char byte = 0;
  EXPECT_EQ(0, read(read_end.get(), &byte, 1));  // it has its name
}

/// Maps and fills memory until there is none.
void EatMemory() {
  for (;;) {
    void* more =
        mmap(nullptr, kMegabyte, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (more == MAP_FAILED) return;
    std::memset(more, 1, kMegabyte);
  }
}

void KernelSays(int level, const char* line) {
  const char* log = std::getenv("KFDCTS_KERNEL_LOG");
  WriteKernelLog(log == nullptr ? "" : log, line, level);
}

KFD_TEST(Rough, Passes, .property = "It passes.", .rules = "PTR-1", .scope = kCpu, .kfd = kClosed) {
  EXPECT_TRUE(true);
}

KFD_TEST(Rough, Fails, .property = "It fails.", .rules = "PTR-2", .scope = kCpu, .kfd = kClosed) {
  EXPECT_TRUE(false) << "on purpose";
}

KFD_TEST(Rough, Skips, .property = "It lacks something.", .scope = kCpu, .kfd = kClosed) {
  throw CapabilityMissing("luck", "there is none");
}

KFD_TEST(Rough, Crashes, .property = "It crashes.", .scope = kCpu, .kfd = kClosed) {
  raise(SIGSEGV);
  EXPECT_TRUE(true);
}

KFD_TEST(Rough, Exits, .property = "It exits.", .scope = kCpu, .kfd = kClosed) {
  EXPECT_TRUE(true);
  _exit(3);
}

KFD_TEST(Rough, Hangs, .property = "It hangs.", .scope = kCpu, .kfd = kClosed,
         .time_limit = kShort) {
  for (;;) pause();
  EXPECT_TRUE(true);
}

KFD_TEST(Rough, SaysNothing, .property = "It waits, with a long limit.", .scope = kCpu,
         .kfd = kClosed) {
  if (std::getenv("KFDCTS_FAKE_SILENCE") != nullptr) {
    for (;;) pause();
  }
  EXPECT_TRUE(true);
}

KFD_TEST(Rough, PrintsGarbage, .property = "It prints what is no text.", .scope = kCpu,
         .kfd = kClosed) {
  using std::string_literals::operator""s;
  const std::string garbage =
      "\xff\xfe \x01\x1b[31m ]]> <&\" \xed\xa0\x80 \xc3 {\"event\":\"ended\"}\n\0.\n"s;
  std::cout << garbage;
  ADD_FAILURE() << garbage;
}

KFD_TEST(Rough, LeavesProcess, .property = "It leaves a process.", .scope = kCpu, .kfd = kClosed) {
  LeaveProcess();
}

KFD_TEST(Rough, LeavesProcessOfItsOwn, .property = "So does one that has a process to itself.",
         .scope = kCpu, .kfd = kClosed, .process = Process::kFresh) {
  LeaveProcess();
}

KFD_TEST(Rough, EatsMemory, .property = "It wants more memory than it may have.", .scope = kCpu,
         .kfd = kClosed) {
  const rlimit limit{kMegabyte, kMegabyte};  // what it has by now stays
  ASSERT_EQ(0, setrlimit(RLIMIT_AS, &limit));
  EatMemory();
  std::abort();
}

KFD_TEST(Rough, EatsAllMemory, .property = "It wants all memory of its machine.", .scope = kCpu,
         .kfd = kClosed) {
  RequireGuest();
  EatMemory();
  std::abort();
}

KFD_TEST(Rough, KernelWarns, .property = "The kernel warns.", .scope = kCpu, .kfd = kClosed) {
  KernelSays(4, "WARNING: CPU: 0 PID: 1 at drivers/gpu/drm/amd/amdkfd/kfd_svm.c:1 f+0x1/0x2");
  KernelSays(4, "Call Trace:");
}

KFD_TEST(Rough, DriverReportsAnError, .property = "The driver complains.", .scope = kCpu,
         .kfd = kClosed) {
  KernelSays(3, "[drm:amdgpu_something [amdgpu]] *ERROR* something is not as it should be");
}

KFD_TEST(Rough, GpuFaults, .property = "The driver tells of a fault.", .scope = kCpu,
         .kfd = kClosed) {
  KernelSays(3, "amdgpu 0000:00:05.0: [gfxhub0] no-retry page fault (src_id:0 ring:24 vmid:8)");
}

KFD_TEST(Rough, EndsItsRun, .property = "Its run dies, as by a restart of the machine.",
         .scope = kCpu, .kfd = kClosed) {
  if (std::getenv("KFDCTS_FAKE_RESTART") != nullptr) {
    std::ifstream stat("/proc/" + std::to_string(getppid()) + "/stat");
    std::string pid, name, state;
    pid_t runner = 0;
    stat >> pid >> name >> state >> runner;
    ASSERT_LT(1, runner);
    kill(runner, SIGKILL);
    for (;;) pause();
  }
  EXPECT_TRUE(true);
}

KFD_TEST(Rough, TheLastPasses, .property = "It passes.", .scope = kCpu, .kfd = kClosed) {
  EXPECT_TRUE(true);
}

KFD_TEST(Fatal, HangsAGpuQueue, .property = "Its GPU waits for memory that nobody writes.",
         .scope = kCpu, .kfd = kClosed, .process = Process::kFresh,
         .time_limit = std::chrono::seconds(5)) {
  RequireGuest();
  gpu::Session session;
  gpu::Gpu& gpu = session.gpu(0);
  const gpu::Buffer memory(gpu, gpu::BufferKind::kGtt, 4096);
  gpu::Pm4Runner runner(session, gpu);
  const auto ticket = runner.Start(gpu::Pm4Packets().WaitRegMem(memory.address(), 1, 0xff));
  while (!runner.Done(ticket)) usleep(1000);
  ADD_FAILURE() << "the GPU did not wait";
}

}  // namespace
}  // namespace kfdcts::harness
