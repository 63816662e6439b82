// Once a GPU has access, it and the CPU see what the other one writes.
#include "suites/svm_range/sharing_test.h"

namespace kfdcts::suites {
namespace {

using Kind = SvmMemory::Kind;

struct AccessCase {
  std::string_view name;
  Kind kind;
  HSA_SVM_ATTRIBUTE (*access)(HSAuint32 node);
  Engine engine;
};

constexpr AccessCase kAccesses[] = {
    {"anonymous_access_sdma", Kind::kAnonymous, Access, Engine::kSdma},
    {"anonymous_access_pm4", Kind::kAnonymous, Access, Engine::kPm4},
    {"anonymous_in_place_sdma", Kind::kAnonymous, AccessInPlace, Engine::kSdma},
    {"anonymous_in_place_pm4", Kind::kAnonymous, AccessInPlace, Engine::kPm4},
    {"shared_access", Kind::kShared, Access, Engine::kSdma},
    {"shared_in_place", Kind::kShared, AccessInPlace, Engine::kPm4},
    {"private_file_access", Kind::kFilePrivate, Access, Engine::kPm4},
    {"private_file_in_place", Kind::kFilePrivate, AccessInPlace, Engine::kSdma},
    {"shared_file_access", Kind::kFileShared, Access, Engine::kSdma},
    {"shared_file_in_place", Kind::kFileShared, AccessInPlace, Engine::kPm4},
    {"huge_access", Kind::kHuge, Access, Engine::kSdma},
    {"huge_in_place", Kind::kHuge, AccessInPlace, Engine::kSdma},
};

class VisibilityTest : public SharingTest {
 protected:
  static constexpr std::size_t kPages = 8;

  void CheckBothSides(const AccessCase& one) {
    const SvmMemory memory(kPages, one.kind);
    memory.FillPattern(1);
    ASSERT_EQ(Set(memory.All(), {one.access(gpu().node_id)}), HSAKMT_STATUS_SUCCESS);
    GpuWork& work = Work(0, one.engine);
    std::vector<std::byte> seen(memory.All().size());
    ASSERT_TRUE(Done(work.Read(memory.Word(0), seen)));
    EXPECT_EQ(gpu::FirstMismatch(seen, 1), seen.size());
    for (HSAuint32 round = 0; round < 3; ++round) {
      for (std::size_t page = 0; page < kPages; ++page) {
        const std::uint32_t value = 0xD0000000U + round * 256 + static_cast<std::uint32_t>(page);
        ASSERT_TRUE(Done(work.Write(memory.Word(page), value)));
        EXPECT_EQ(gpu::LoadAcquire(memory.Word(page)), value);
        gpu::StoreRelease(memory.Word(page), value + 0x1000000);
        std::uint32_t back = 0;
        ASSERT_TRUE(Done(work.Read(memory.Word(page), back)));
        EXPECT_EQ(back, value + 0x1000000);
      }
    }
  }
};

}  // namespace

KFD_TEST_CASES_F(SVMRange, BothSidesSeeWithRetry, VisibilityTest, kAccesses,
                 .property =
                     "a GPU with access reads what the CPU wrote before and writes later, "
                     "and the CPU reads what the GPU writes; XNACK on",
                 .rules = "SVM-17", .needs = {Capability::kSvm}, .xnack = harness::Xnack::kOn) {
  CheckBothSides(param());
}

KFD_TEST_CASES_F(SVMRange, BothSidesSeeWithoutRetry, VisibilityTest, kAccesses,
                 .property =
                     "a GPU with access reads what the CPU wrote before and writes later, "
                     "and the CPU reads what the GPU writes; XNACK off",
                 .rules = "SVM-17", .needs = {Capability::kSvm}, .xnack = harness::Xnack::kOff) {
  CheckBothSides(param());
}

KFD_TEST_CASES_F(SVMRange, AtomicsOfBothSides, VisibilityTest, kEngines,
                 .property =
                     "additions by the GPU and by the CPU to one word in turns are all in "
                     "the sum",
                 .rules = "SVM-17", .needs = {Capability::kSvm}) {
  const SvmMemory memory(1);
  *memory.Word(0) = 5;
  ASSERT_EQ(Set(memory.All(), {AccessInPlace(gpu().node_id)}), HSAKMT_STATUS_SUCCESS);
  for (int round = 0; round < 10; ++round) {
    ASSERT_TRUE(Done(Work(0, param().engine).Atomic(AtomicOp::kAdd32, memory.Word(0), 100)));
    __atomic_fetch_add(memory.Word(0), 1, __ATOMIC_SEQ_CST);
  }
  EXPECT_EQ(gpu::LoadAcquire(memory.Word(0)), 5U + 10 * 101);
}

KFD_TEST_F(SVMRange, GpusSeeOneAnother, VisibilityTest,
           .property = "what one GPU writes another one with access reads, and the CPU as well",
           .rules = "SVM-17", .scope = Scope::kEachGpuPair, .needs = {Capability::kSvm}) {
  const SvmMemory memory(kPages);
  memory.FillPattern(1);
  ASSERT_EQ(Set(memory.All(), {Access(gpu(0).node_id), Access(gpu(1).node_id)}),
            HSAKMT_STATUS_SUCCESS);
  for (std::uint32_t round = 0; round < 4; ++round) {
    const std::size_t writer = round % 2;
    ASSERT_TRUE(Done(Work(writer).Write(memory.Word(round), 0x900D0000 + round)));
    std::uint32_t seen = 0;
    ASSERT_TRUE(Done(Work(1 - writer).Read(memory.Word(round), seen)));
    EXPECT_EQ(seen, 0x900D0000 + round);
    EXPECT_EQ(gpu::LoadAcquire(memory.Word(round)), 0x900D0000 + round);
  }
  memory.ExpectPattern(1, 4, kPages - 4);
}

KFD_TEST_F(SVMRange, InPlaceForAllGpus, VisibilityTest,
           .property =
               "a range in place for every GPU stays in system memory while each of them "
               "writes it",
           .rules = "SVM-17 SVM-8", .scope = Scope::kEachGpuPair,
           .needs = {Capability::kSvm, Capability::kPagemap}) {
  const SvmMemory memory(2);
  memory.FillPattern(1);
  ASSERT_EQ(Set(memory.All(), {AccessInPlace(gpu(0).node_id), AccessInPlace(gpu(1).node_id)}),
            HSAKMT_STATUS_SUCCESS);
  for (const std::size_t writer : {0U, 1U}) {
    ASSERT_TRUE(Done(Work(writer).Write(memory.Word(writer), 0x77)));
    EXPECT_EQ(gpu::LoadAcquire(memory.Word(writer)), 0x77U);
    EXPECT_EQ(Residency(memory.All()), "mm");
  }
}

}  // namespace kfdcts::suites
