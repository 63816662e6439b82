// What a GPU may not do faults. XNACK is off here: without retry a fault is final, and the
// process's queues stay stopped after it, so that each test has a process of its own.
#include <sys/mman.h>

#include "suites/svm_range/sharing_test.h"

namespace kfdcts::suites {
namespace {

constexpr std::size_t kPages = 4;

class ProtectionTest : public SharingTest {
 protected:
  /// A write that the page table does not allow must fault at its page. A virtual GPU tells of such
  /// writes on its own, too.
  void ExpectWriteFaults(const SvmMemory& memory, std::size_t page, Engine engine = Engine::kSdma) {
    AllowDeviceFindings("read-only-write");
    ExpectFault(Work(0, engine).Write(memory.Word(page), 0xBAD), memory.Word(page), true);
  }
};

}  // namespace

KFD_TEST_CASES_F(SVMRange, ReadOnlyIsReadable, ProtectionTest, kEngines,
                 .property = "with GPU_RO the GPU reads what the CPU writes, before and after",
                 .rules = "SVM-18", .needs = {Capability::kSvm}) {
  const SvmMemory memory(kPages);
  memory.FillPattern(1);
  ASSERT_EQ(Set(memory.All(), {AccessInPlace(gpu().node_id), SetFlags(HSA_SVM_FLAG_GPU_RO)}),
            HSAKMT_STATUS_SUCCESS);
  std::vector<std::byte> seen(memory.All().size());
  ASSERT_TRUE(Done(Work(0, param().engine).Read(memory.Word(0), seen)));
  EXPECT_EQ(gpu::FirstMismatch(seen, 1), seen.size());
  gpu::StoreRelease(memory.Word(2), 0x1234U);
  std::uint32_t word = 0;
  ASSERT_TRUE(Done(Work(0, param().engine).Read(memory.Word(2), word)));
  EXPECT_EQ(word, 0x1234U);
}

KFD_TEST_CASES_F(SVMRange, ReadOnlyIsNotWritable, ProtectionTest, kEngines,
                 .property =
                     "with GPU_RO and XNACK off a GPU's write is a memory fault at that "
                     "page and changes nothing",
                 .rules = "SVM-18", .needs = {Capability::kSvm}, .process = Process::kFresh,
                 .xnack = harness::Xnack::kOff) {
  const SvmMemory memory(kPages);
  memory.FillPattern(1);
  ASSERT_EQ(Set(memory.All(), {Access(gpu().node_id), SetFlags(HSA_SVM_FLAG_GPU_RO)}),
            HSAKMT_STATUS_SUCCESS);
  ExpectWriteFaults(memory, 2, param().engine);
  memory.ExpectPattern(1);
}

KFD_TEST_F(SVMRange, ReadOnlyInVramIsNotWritable, ProtectionTest,
           .property =
               "GPU_RO holds for data in VRAM too: with XNACK off a write is a memory "
               "fault and changes nothing",
           .rules = "SVM-18", .needs = {Capability::kSvm}, .process = Process::kFresh,
           .xnack = harness::Xnack::kOff) {
  const SvmMemory memory(kPages);
  Share(memory, Placement::kVram, 1);
  ExpectGpuSees(memory, 1);
  ASSERT_EQ(Set(memory.All(), {SetFlags(HSA_SVM_FLAG_GPU_RO)}), HSAKMT_STATUS_SUCCESS);
  ExpectGpuSees(memory, 1);
  ExpectWriteFaults(memory, 1);
  memory.ExpectPattern(1);
}

KFD_TEST_F(SVMRange, ReadOnlyTakenBack, ProtectionTest,
           .property = "once GPU_RO is cleared the GPU writes", .rules = "SVM-18",
           .guards = "BUG-35", .needs = {Capability::kSvm}) {
  const SvmMemory memory(kPages);
  Share(memory, Placement::kSystem, 1);
  ASSERT_EQ(Set(memory.All(), {SetFlags(HSA_SVM_FLAG_GPU_RO)}), HSAKMT_STATUS_SUCCESS);
  ExpectGpuSees(memory, 1);
  ASSERT_EQ(Set(memory.All(), {ClearFlags(HSA_SVM_FLAG_GPU_RO)}), HSAKMT_STATUS_SUCCESS);
  ExpectOneMemory(memory, 1, 2);
}

KFD_TEST_F(SVMRange, ReadOnlyOfAPartOnly, ProtectionTest,
           .property = "GPU_RO on part of a range leaves the rest writable; XNACK off",
           .rules = "SVM-18 SVM-5", .needs = {Capability::kSvm}, .process = Process::kFresh,
           .xnack = harness::Xnack::kOff) {
  const SvmMemory memory(kPages);
  Share(memory, Placement::kSystem, 1);
  ASSERT_EQ(Set(memory.Pages(1, 2), {SetFlags(HSA_SVM_FLAG_GPU_RO)}), HSAKMT_STATUS_SUCCESS);
  EXPECT_TRUE(Done(Work().Write(memory.Word(0), 0x600D)));
  EXPECT_TRUE(Done(Work().Write(memory.Word(3), 0x600D)));
  ExpectWriteFaults(memory, 2);
  EXPECT_EQ(*memory.Word(0), 0x600DU);
  EXPECT_EQ(*memory.Word(3), 0x600DU);
  memory.ExpectPattern(1, 1, 2);
}

KFD_TEST_CASES_F(SVMRange, NoAccessIsNotReadable, ProtectionTest, kEngines,
                 .property =
                     "with XNACK off a GPU's read of a range without access is a memory "
                     "fault",
                 .rules = "SVM-18", .needs = {Capability::kSvm}, .process = Process::kFresh,
                 .xnack = harness::Xnack::kOff) {
  const SvmMemory memory(kPages);
  memory.FillPattern(1);
  ASSERT_EQ(Set(memory.All(), {NoAccess(gpu().node_id)}), HSAKMT_STATUS_SUCCESS);
  std::uint32_t seen = 0;
  ExpectFault(Work(0, param().engine).Read(memory.Word(1), seen), memory.Word(1), false);
}

KFD_TEST_CASES_F(SVMRange, NoAccessIsNotWritable, ProtectionTest, kEngines,
                 .property =
                     "with XNACK off a GPU's write to a range without access is a memory "
                     "fault and changes nothing",
                 .rules = "SVM-18", .needs = {Capability::kSvm}, .process = Process::kFresh,
                 .xnack = harness::Xnack::kOff) {
  const SvmMemory memory(kPages);
  memory.FillPattern(1);
  ASSERT_EQ(Set(memory.All(), {NoAccess(gpu().node_id)}), HSAKMT_STATUS_SUCCESS);
  ExpectWriteFaults(memory, 1, param().engine);
  memory.ExpectPattern(1);
}

KFD_TEST_F(SVMRange, NoAccessWithRetryFaults, ProtectionTest,
           .property =
               "with XNACK on, too, a GPU's access to a range without access is a memory "
               "fault in the end",
           .rules = "SVM-18", .needs = {Capability::kSvm}, .process = Process::kFresh,
           .xnack = harness::Xnack::kOn) {
  const SvmMemory memory(kPages);
  memory.FillPattern(1);
  ASSERT_EQ(Set(memory.All(), {NoAccess(gpu().node_id)}), HSAKMT_STATUS_SUCCESS);
  ExpectWriteFaults(memory, 1);
  memory.ExpectPattern(1);
}

KFD_TEST_F(SVMRange, MemoryWithoutWriteRights, ProtectionTest,
           .property = "memory that the CPU may only read the GPU may only read as well; XNACK off",
           .rules = "SVM-18 SVM-15", .needs = {Capability::kSvm}, .process = Process::kFresh,
           .xnack = harness::Xnack::kOff) {
  const SvmMemory memory(kPages);
  Share(memory, Placement::kSystem, 1);
  ExpectOneMemory(memory, 0, 0);
  ASSERT_EQ(mprotect(memory.Word(0), memory.All().size(), PROT_READ), 0);
  std::uint32_t seen = 0;
  ASSERT_TRUE(Done(Work().Read(memory.Word(0), seen)));
  EXPECT_EQ(seen, 0xC0DE0002U);
  ExpectWriteFaults(memory, 1);
  memory.ExpectPattern(1, 1, 3);
}

KFD_TEST_F(SVMRange, MemoryWithoutRights, ProtectionTest,
           .property = "memory that the CPU may no longer touch the GPU may not either; XNACK off",
           .rules = "SVM-18 SVM-15", .guards = "BUG-59", .needs = {Capability::kSvm},
           .process = Process::kFresh, .xnack = harness::Xnack::kOff) {
  const SvmMemory memory(kPages);
  Share(memory, Placement::kSystem, 1);
  ExpectGpuSees(memory, 1);
  ASSERT_EQ(mprotect(memory.Word(0), memory.All().size(), PROT_NONE), 0);
  ExpectWriteFaults(memory, 1);
}

}  // namespace kfdcts::suites
