#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <string_view>

#include "harness/probes/syscall_tracer.h"
#include "harness/test_support/child.h"
#include "harness/test_support/kfd_test.h"
#include "harness/vm/guest_run.h"

namespace kfdcts::harness {
namespace {

constexpr auto kCpu = Scope::kCpu;
constexpr auto kClosed = KfdState::kClosed;
constexpr std::chrono::seconds kShort{1};

struct Number {
  const char* name;
  int value;
};
constexpr Number kNumbers[] = {{"one", 1}, {"two", 2}};

KFD_TEST(Good, Passes, .property = "It passes.", .rules = "PTR-1 PTR-2", .guards = "BUG-3",
         .scope = kCpu, .kfd = kClosed) {
  EXPECT_TRUE(true);
}

KFD_TEST(Good, Records, .property = "It records a property.", .rules = "PTR-2", .scope = kCpu,
         .kfd = kClosed) {
  RecordProperty("answer", "42");
  EXPECT_NE(0u, Seed());
}

KFD_TEST(Good, Environment, .property = "It has a variable.", .scope = kCpu, .kfd = kClosed,
         .environment = {"KFDCTS_FAKE=yes"}) {
  EXPECT_STREQ("yes", getenv("KFDCTS_FAKE"));
}

KFD_TEST(Good, NoEnvironment, .property = "It has no other test's variable.", .scope = kCpu,
         .kfd = kClosed) {
  EXPECT_EQ(nullptr, getenv("KFDCTS_FAKE"));
}

KFD_TEST_CASES(Good, Cases, kNumbers, .property = "It has cases.", .scope = kCpu, .kfd = kClosed) {
  EXPECT_EQ(std::string(param().name), param().value == 1 ? "one" : "two");
}

KFD_TEST(Good, Traced, .property = "Its calls are counted.", .scope = kCpu, .kfd = kClosed,
         .process = Process::kTraced) {
  tracer().Reset();
  close(open("/dev/null", O_RDONLY | O_CLOEXEC));
  EXPECT_EQ(1u, tracer().Count(SyscallMatch::Call(SYS_openat)));
}

/// What breakages_test.cpp breaks.
std::string_view Fault() {
  const char* fault = getenv("KFDCTS_FAKE_FAULT");
  return fault == nullptr ? "" : fault;
}

KFD_TEST(Breakable, One, .property = "It is not broken.", .rules = "PTR-1", .scope = kCpu,
         .kfd = kClosed) {
  EXPECT_NE("One", Fault());
  if (Fault() == "Device") RecordProperty("device_finding", "fence-twice: gpu0: fence-twice x1");
}

KFD_TEST(Breakable, Two, .property = "It is not broken and goes on.", .rules = "PTR-2",
         .scope = kCpu, .kfd = kClosed, .time_limit = kShort) {
  EXPECT_NE("Two", Fault());
  while (Fault() == "Hang") pause();
}

KFD_TEST(Skips, BeforeItsBody, .property = "It wants what is not here.", .rules = "PTR-3",
         .scope = kCpu, .needs = {Capability::kDirector}, .kfd = kClosed) {
  ADD_FAILURE() << "its body ran";
}

KFD_TEST(Skips, InItsBody, .property = "It finds out late.", .rules = "PTR-3", .scope = kCpu,
         .kfd = kClosed) {
  Require(Symbol{"hsaKmtNoSuchCall"});
  ADD_FAILURE() << "its body went on";
}

KFD_TEST(Bad, Fails, .property = "One is two.", .rules = "PTR-4", .guards = "BUG-4", .scope = kCpu,
         .kfd = kClosed) {
  std::cout << "words of the test\n";
  EXPECT_EQ(1, 2);
}

KFD_TEST(Bad, Throws, .property = "It throws.", .scope = kCpu, .kfd = kClosed) {
  throw std::runtime_error("thrown by the test");
}

KFD_TEST(Bad, Crashes, .property = "It crashes.", .rules = "PTR-5", .scope = kCpu, .kfd = kClosed) {
  std::cerr << "last words\n";
  raise(SIGSEGV);
  EXPECT_TRUE(true);
}

KFD_TEST(Bad, Exits, .property = "It exits.", .scope = kCpu, .kfd = kClosed) {
  EXPECT_TRUE(true);
  _exit(0);
}

KFD_TEST(Bad, Hangs, .property = "It hangs, and a child of its own with it.", .scope = kCpu,
         .kfd = kClosed, .time_limit = kShort) {
  const pid_t child = fork();
  EXPECT_LE(0, child);
  if (child == 0) setsid();
  for (;;) pause();
}

KFD_TEST(Bad, LeavesDescriptor, .property = "It leaves a descriptor.", .scope = kCpu,
         .kfd = kClosed) {
  EXPECT_LE(0, open("/dev/null", O_RDONLY | O_CLOEXEC));
}

/// Where KFDCTS_FAKE_COUNT names a file it grows by a byte a run: how often the test ran before.
std::uintmax_t RunsBefore() {
  const char* file = getenv("KFDCTS_FAKE_COUNT");
  if (file == nullptr) return 0;
  const int count = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  const off_t before = lseek(count, 0, SEEK_END);
  EXPECT_EQ(1, write(count, "x", 1));
  close(count);
  return static_cast<std::uintmax_t>(before);
}

KFD_TEST(Flaky, FailsAtFirst, .property = "Its first run fails.", .rules = "PTR-8",
         .guards = "BUG-51", .scope = kCpu, .kfd = kClosed) {
  EXPECT_NE(0u, RunsBefore());
}

KFD_TEST(Flaky, FailsInTheThird, .property = "Its third run fails.", .scope = kCpu,
         .kfd = kClosed) {
  EXPECT_NE(2u, RunsBefore());
}

KFD_TEST(Labelled, Unsafe, .property = "It is said to hang.", .scope = kCpu, .kfd = kClosed,
         .labels = "soak hang") {
  EXPECT_TRUE(true);
}

KFD_TEST(Labelled, Unknown, .property = "Its label is none.", .scope = kCpu, .kfd = kClosed,
         .labels = "odd") {
  EXPECT_TRUE(true);
}

KFD_TEST(Child, Fails, .property = "Checks fail in a child.", .scope = kCpu, .kfd = kClosed) {
  const auto result = RunInChild([] {
    EXPECT_EQ(1, 2) << "first in the child";
    ASSERT_TRUE(false) << "second in the child";
    ADD_FAILURE() << "went on in the child";
  });
  EXPECT_EQ(2, result.failures);
  EXPECT_EQ("2 failed checks", result.Describe());
}

KFD_TEST(Child, Crashes, .property = "A child fails and crashes.", .scope = kCpu, .kfd = kClosed) {
  const auto result = RunInChild([] {
    ADD_FAILURE() << "before the crash";
    raise(SIGKILL);
  });
  EXPECT_EQ(SIGKILL, result.signal);
  EXPECT_FALSE(result.Passed());
}

KFD_TEST(Child, Throws, .property = "A child throws.", .scope = kCpu, .kfd = kClosed) {
  RunInChild([] { throw std::runtime_error("thrown in the child"); });
}

KFD_TEST(Child, Skips, .property = "A child lacks something.", .scope = kCpu, .kfd = kClosed) {
  RunInChild([] { throw CapabilityMissing("svm", "not in the child"); });
  ADD_FAILURE() << "went on after the skip";
}

KFD_TEST(Bad, NamesUnknownRule, .property = "It names no rule.", .rules = "PTR-99",
         .guards = "BUG-999", .scope = kCpu, .kfd = kClosed) {
  EXPECT_TRUE(true);
}

KFD_TEST(Bad, GpuIsNotThere, .property = "Its GPU is promised and not there.", .kfd = kClosed) {
  EXPECT_EQ(2u, gpus().size());
}

KFD_TEST(Fatal, EndsItsTarget, .property = "Its target dies.", .rules = "PTR-6", .scope = kCpu,
         .kfd = kClosed) {
  kill(getppid(), SIGKILL);
  for (;;) pause();
  EXPECT_TRUE(true);
}

KFD_TEST(Fatal, PanicsItsKernel, .property = "Its guest panics.", .rules = "PTR-7", .scope = kCpu,
         .kfd = kClosed) {
  if (access(vm::kGuestShare, W_OK) != 0) throw CapabilityMissing("guest", "this is no guest");
  const int trigger = open("/proc/sysrq-trigger", O_WRONLY | O_CLOEXEC);
  ASSERT_LE(0, trigger) << "the guest's user is not root";
  EXPECT_EQ(1, write(trigger, "c", 1));
}

KFD_TEST(Fatal, TheNextRuns, .property = "It runs in a new target.", .scope = kCpu,
         .kfd = kClosed) {
  EXPECT_TRUE(true);
}

}  // namespace
}  // namespace kfdcts::harness
