// A range that a living child of fork still shares.
#include "suites/support/beside_child.h"
#include "suites/svm_range/sharing_test.h"

namespace kfdcts::suites {
namespace {

constexpr std::size_t kPages = 16;

class CopyOnWriteTest : public SharingTest {
 protected:
  /// Runs `parent` beside a forked child, whose copy is then to hold the data of before.
  template <typename Parent>
  static void BesideCopy(const SvmMemory& memory, const Parent& parent) {
    BesideChild([&] { memory.ExpectPattern(1); }, parent);
  }

  /// The GPU writes every word, and the CPU sees it.
  void FillByGpu(const SvmMemory& memory, std::uint32_t value) {
    ASSERT_TRUE(Done(Work().Fill(memory.Word(0), value, memory.All().size())));
    for (std::size_t page = 0; page < kPages; ++page) {
      EXPECT_EQ(gpu::LoadAcquire(memory.Word(page)), value) << "page " << page;
    }
  }

  void CheckCpuWrite(Placement placement) {
    const SvmMemory memory(kPages);
    Share(memory, placement, 1);
    ExpectGpuSees(memory, 1);
    BesideCopy(memory, [&] {
      memory.FillPattern(2);
      ExpectGpuSees(memory, 2);
      ExpectOneMemory(memory, 3, 4);
    });
  }

  void CheckGpuWrite(Placement placement) {
    const SvmMemory memory(kPages);
    Share(memory, placement, 1);
    ExpectGpuSees(memory, 1);
    BesideCopy(memory, [&] {
      FillByGpu(memory, 0xA5A5A5A5);
      if (!HasFailure()) ExpectOneMemory(memory, 3, 4);
    });
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
                 .rules = "SVM-15", .guards = "BUG-40 BUG-55", .needs = {Capability::kSvm},
                 .process = Process::kFresh, .xnack = harness::Xnack::kOn) {
  CheckGpuWrite(param().placement);
}

KFD_TEST_CASES_F(SVMRange, GpuWritesAfterForkWithoutRetry, CopyOnWriteTest, kPlacements,
                 .property =
                     "what the GPU writes after a fork the CPU sees, while the child keeps "
                     "the old data; XNACK off",
                 .rules = "SVM-15", .guards = "BUG-40 BUG-55", .needs = {Capability::kSvm},
                 .process = Process::kFresh, .xnack = harness::Xnack::kOff) {
  CheckGpuWrite(param().placement);
}

KFD_TEST_F(SVMRange, HalfInVramHalfShared, CopyOnWriteTest,
           .property =
               "a range half in VRAM and half shared with a child of fork is given to the "
               "GPU and written by it without a deadlock",
           .rules = "SVM-15 SVM-19", .guards = "BUG-40 BUG-55", .needs = {Capability::kSvm},
           .process = Process::kFresh) {
  const SvmMemory memory(kPages);
  memory.FillPattern(1);
  const HSAuint32 node = gpu().node_id;
  ASSERT_EQ(Set(memory.All(), {NoAccess(node)}), HSAKMT_STATUS_SUCCESS);
  BesideCopy(memory, [&] {
    ASSERT_EQ(Set(memory.Pages(0, kPages / 2), {Prefetch(node)}), HSAKMT_STATUS_SUCCESS);
    ASSERT_EQ(Set(memory.All(), {Access(node)}), HSAKMT_STATUS_SUCCESS);
    FillByGpu(memory, 0xB6B6B6B6);
  });
}

}  // namespace kfdcts::suites
