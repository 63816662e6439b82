// Other readers of the process's memory than its own instructions.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "harness/gpu/unique_fd.h"
#include "suites/prefetch/onlooker.h"
#include "suites/prefetch/prefetch_test.h"

namespace kfdcts::suites {
namespace {

struct LookCase {
  std::string_view name;
  Look look;
};
constexpr LookCase kLooks[] = {{"ptrace", Look::kPtracePeek},
                               {"process_vm", Look::kProcessVm},
                               {"proc_pid_mem", Look::kProcMem}};

struct FileCase {
  std::string_view name;
  bool pipe;
};
constexpr FileCase kFiles[] = {{"pipe", true}, {"file", false}};

/// Two ends of a pipe, or one file twice, from its start.
struct Ends {
  gpu::UniqueFd in, out;
};

Ends OpenEnds(bool as_pipe) {
  int fds[2];
  if (as_pipe) {
    if (pipe2(fds, O_CLOEXEC) != 0)
      throw std::system_error(errno, std::generic_category(), "pipe2");
    return {gpu::UniqueFd(fds[0]), gpu::UniqueFd(fds[1])};
  }
  char path[] = "/tmp/kfdcts-XXXXXX";
  gpu::UniqueFd out(mkostemp(path, O_CLOEXEC));
  gpu::UniqueFd in(open(path, O_RDONLY | O_CLOEXEC));
  unlink(path);
  return {std::move(in), std::move(out)};
}

class PeekTest : public PrefetchTest {
 protected:
  // Eight pages on the GPU, of which an access brings back two.
  void OnGpu(const MigratedBuffer& buffer) {
    EXPECT_EQ(Set(buffer.All(), {Access(node()), Granularity(1), Prefetch(node())}),
              HSAKMT_STATUS_SUCCESS);
    ASSERT_EQ(buffer.Where(), "vvvvvvvv");
  }
  SvmState Expected() const {
    return DefaultsWithAccess({node()}).WithGranularity(1).WithPrefetch(node());
  }
  void ExpectBack(const MigratedBuffer& buffer) {
    EXPECT_EQ(buffer.Where(), "vvvvmmvv");
    EXPECT_EQ(StateOf(buffer.All()), Expected());
    ExpectGpuReads(buffer);
    buffer.ExpectIntact();
  }

  void Peek(Look look) {
    Onlooker onlooker;
    MigratedBuffer buffer(8);
    OnGpu(buffer);
    GpuWrites(buffer, 5, 0x0BADCAFE);
    EXPECT_EQ(onlooker.Read(look, buffer.Word(5)), 0x0BADCAFEU);
    ExpectBack(buffer);
  }
};

}  // namespace

KFD_TEST_CASES_F(Prefetch, DebuggerPeek, PeekTest, kLooks,
                 .property =
                     "a debugger's look at a page on a GPU shows what is there and brings "
                     "it back; the attributes stay",
                 .rules = "PRE-6 PRE-5", .needs = {Capability::kSvm, Capability::kPagemap},
                 .xnack = Xnack::kOn) {
  Peek(param().look);
}

KFD_TEST_CASES_F(Prefetch, DebuggerPeekNoRetry, PeekTest, kLooks,
                 .property = "with XNACK off, too, a debugger's look brings a page back",
                 .rules = "PRE-6 PRE-5", .scope = Scope::kFirstGpu,
                 .needs = {Capability::kSvm, Capability::kPagemap}, .xnack = Xnack::kOff) {
  Peek(param().look);
}

KFD_TEST_CASES_F(Prefetch, DebuggerPoke, PeekTest, kLooks,
                 .property = "what a debugger writes to a page on a GPU the GPU and the CPU read",
                 .rules = "PRE-6 PRE-5", .needs = {Capability::kSvm, Capability::kPagemap}) {
  Onlooker onlooker;
  MigratedBuffer buffer(8);
  OnGpu(buffer);
  onlooker.Write(param().look, buffer.Word(5), 0xC0FFEE00);
  buffer.Expect(5, 0xC0FFEE00);
  ExpectBack(buffer);
}

KFD_TEST_F(Prefetch, DebuggerPeekByGdb, PeekTest,
           .property =
               "gdb shows a page on a GPU as the GPU wrote it and brings it back; the "
               "attributes stay",
           .rules = "PRE-6 PRE-5", .scope = Scope::kFirstGpu,
           .needs = {Capability::kSvm, Capability::kPagemap},
           .time_limit = std::chrono::seconds(180)) {
  MigratedBuffer buffer(8);
  OnGpu(buffer);
  GpuWrites(buffer, 5, 0x0BADCAFE);
  EXPECT_EQ(ReadByGdb(buffer.Word(5)), 0x0BADCAFEU);
  ExpectBack(buffer);
}

KFD_TEST_CASES_F(
    Prefetch, SystemCallReadsTheBuffer, PeekTest, kFiles,
    .property = "write(2) from a page on a GPU writes what is there, and brings it back",
    .rules = "PRE-6 PRE-5", .needs = {Capability::kSvm, Capability::kPagemap}) {
  MigratedBuffer buffer(8);
  const Ends ends = OpenEnds(param().pipe);
  OnGpu(buffer);
  GpuWrites(buffer, 5, 0x55AA55AA);
  std::uint32_t word = 0;
  ASSERT_EQ(write(ends.out.get(), buffer.Word(5), sizeof word), ssize_t{sizeof word});
  ASSERT_EQ(read(ends.in.get(), &word, sizeof word), ssize_t{sizeof word});
  EXPECT_EQ(word, 0x55AA55AAU);
  ExpectBack(buffer);
}

KFD_TEST_CASES_F(Prefetch, SystemCallWritesTheBuffer, PeekTest, kFiles,
                 .property =
                     "read(2) into a page on a GPU is seen by GPU and CPU, and brings it "
                     "back",
                 .rules = "PRE-6 PRE-5", .needs = {Capability::kSvm, Capability::kPagemap}) {
  MigratedBuffer buffer(8);
  const Ends ends = OpenEnds(param().pipe);
  OnGpu(buffer);
  const std::uint32_t word = 0x77665544;
  ASSERT_EQ(write(ends.out.get(), &word, sizeof word), ssize_t{sizeof word});
  ASSERT_EQ(read(ends.in.get(), buffer.Word(5), sizeof word), ssize_t{sizeof word});
  buffer.Expect(5, word);
  ExpectBack(buffer);
}

}  // namespace kfdcts::suites
