// A range that a living child of fork still shares.
#include <sys/wait.h>
#include <unistd.h>

#include "suites/support/gate.h"
#include "suites/svm_range/sharing_test.h"

namespace kfdcts::suites {
namespace {

constexpr std::size_t kPages = 16;

/// A forked process that looks at its copy of the memory once the parent let it.
class Child {
 public:
  explicit Child(const SvmMemory& memory) : pid_(fork()) {
    if (pid_ != 0) return;
    const bool asked = look_.Wait();
    memory.ExpectPattern(1);
    _exit(asked && !testing::Test::HasFailure() ? 0 : 1);
  }
  ~Child() {
    if (pid_ > 0 && !Unchanged()) ADD_FAILURE() << "the child's copy changed";
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  bool forked() const { return pid_ > 0; }

 private:
  bool Unchanged() {
    look_.Open();
    int status = -1;
    return waitpid(pid_, &status, 0) == pid_ && status == 0;
  }

  Gate look_;
  pid_t pid_;
};

class CopyOnWriteTest : public SharingTest {
 protected:
  void CheckCpuWrite(Placement placement) {
    const SvmMemory memory(kPages);
    Share(memory, placement, 1);
    ExpectGpuSees(memory, 1);
    const Child child(memory);
    ASSERT_TRUE(child.forked());
    memory.FillPattern(2);
    ExpectGpuSees(memory, 2);
    ExpectOneMemory(memory, 3, 4);
  }

  void CheckGpuWrite(Placement placement) {
    const SvmMemory memory(kPages);
    Share(memory, placement, 1);
    ExpectGpuSees(memory, 1);
    const Child child(memory);
    ASSERT_TRUE(child.forked());
    ASSERT_TRUE(Done(Work().Fill(memory.Word(0), 0xA5A5A5A5, memory.All().size())));
    for (std::size_t page = 0; page < kPages; ++page) {
      EXPECT_EQ(gpu::LoadAcquire(memory.Word(page)), 0xA5A5A5A5) << "page " << page;
    }
    ExpectOneMemory(memory, 3, 4);
  }
};

}  // namespace

KFD_TEST_CASES_F(SVMRange, CpuWritesAfterForkWithRetry, CopyOnWriteTest, kPlacements,
                 .property =
                     "what the CPU writes after a fork the GPU sees, while the child keeps "
                     "the old data; XNACK on",
                 .rules = "SVM-15", .needs = {Capability::kSvm}, .xnack = harness::Xnack::kOn) {
  CheckCpuWrite(param().placement);
}

KFD_TEST_CASES_F(SVMRange, CpuWritesAfterForkWithoutRetry, CopyOnWriteTest, kPlacements,
                 .property =
                     "what the CPU writes after a fork the GPU sees, while the child keeps "
                     "the old data; XNACK off",
                 .rules = "SVM-15", .needs = {Capability::kSvm}, .xnack = harness::Xnack::kOff) {
  CheckCpuWrite(param().placement);
}

KFD_TEST_CASES_F(SVMRange, GpuWritesAfterForkWithRetry, CopyOnWriteTest, kPlacements,
                 .property =
                     "what the GPU writes after a fork the CPU sees, while the child keeps "
                     "the old data; XNACK on",
                 .rules = "SVM-15", .guards = "BUG-40", .needs = {Capability::kSvm},
                 .process = Process::kFresh, .xnack = harness::Xnack::kOn) {
  CheckGpuWrite(param().placement);
}

KFD_TEST_CASES_F(SVMRange, GpuWritesAfterForkWithoutRetry, CopyOnWriteTest, kPlacements,
                 .property =
                     "what the GPU writes after a fork the CPU sees, while the child keeps "
                     "the old data; XNACK off",
                 .rules = "SVM-15", .guards = "BUG-40", .needs = {Capability::kSvm},
                 .process = Process::kFresh, .xnack = harness::Xnack::kOff) {
  CheckGpuWrite(param().placement);
}

KFD_TEST_F(SVMRange, HalfInVramHalfShared, CopyOnWriteTest,
           .property =
               "a range half in VRAM and half shared with a child of fork is given to the "
               "GPU and written by it without a deadlock",
           .rules = "SVM-15 SVM-19", .guards = "BUG-40", .needs = {Capability::kSvm},
           .process = Process::kFresh) {
  const SvmMemory memory(kPages);
  memory.FillPattern(1);
  const HSAuint32 node = gpu().node_id;
  ASSERT_EQ(Set(memory.All(), {NoAccess(node)}), HSAKMT_STATUS_SUCCESS);
  const Child child(memory);
  ASSERT_TRUE(child.forked());
  ASSERT_EQ(Set(memory.Pages(0, kPages / 2), {Prefetch(node)}), HSAKMT_STATUS_SUCCESS);
  ASSERT_EQ(Set(memory.All(), {Access(node)}), HSAKMT_STATUS_SUCCESS);
  ASSERT_TRUE(Done(Work().Fill(memory.Word(0), 0xB6B6B6B6, memory.All().size())));
  for (std::size_t page = 0; page < kPages; ++page) {
    EXPECT_EQ(gpu::LoadAcquire(memory.Word(page)), 0xB6B6B6B6) << "page " << page;
  }
}

}  // namespace kfdcts::suites
