// Calls on ranges that two GPUs share end. Where a kernel hangs in one (BUG-51) its task cannot be
// killed, so each test has a process of its own and little time.
#include "suites/svm_range/sharing_test.h"

namespace kfdcts::suites {
namespace {

constexpr std::size_t kPages = 16;
constexpr std::chrono::seconds kLimit{20};

class BoundedTest : public SharingTest {};

}  // namespace

KFD_TEST_F(SVMRange, AlwaysMappedElsewhere, BoundedTest,
           .property =
               "GPU_ALWAYS_MAPPED on a range that is in the VRAM of a GPU without access, "
               "while another one has it, ends: the call succeeds and no byte is lost",
           .rules = "SVM-23", .guards = "BUG-51", .scope = Scope::kEachGpuPair,
           .needs = {Capability::kSvm}, .process = Process::kFresh, .xnack = harness::Xnack::kOn,
           .time_limit = kLimit, .labels = "hang") {
  const SvmMemory memory(kPages);
  memory.FillPattern(1);
  ASSERT_EQ(Set(memory.All(), {NoAccess(gpu(0).node_id), Prefetch(gpu(0).node_id)}),
            HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Set(memory.All(), {SetFlags(HSA_SVM_FLAG_GPU_ALWAYS_MAPPED)}), HSAKMT_STATUS_SUCCESS);
  memory.ExpectPattern(1);
}

KFD_TEST_F(SVMRange, AccessTakenFromTheHolder, BoundedTest,
           .property =
               "taking the access of the GPU that holds the data, while another one has "
               "access, ends: the call succeeds and no byte is lost",
           .rules = "SVM-23", .guards = "BUG-51", .scope = Scope::kEachGpuPair,
           .needs = {Capability::kSvm}, .process = Process::kFresh, .time_limit = kLimit,
           .labels = "hang") {
  const SvmMemory memory(kPages);
  memory.FillPattern(1);
  ASSERT_EQ(Set(memory.All(), {Access(gpu(0).node_id), Access(gpu(1).node_id)}),
            HSAKMT_STATUS_SUCCESS);
  ASSERT_EQ(Set(memory.All(), {Prefetch(gpu(0).node_id)}), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Set(memory.All(), {NoAccess(gpu(0).node_id)}), HSAKMT_STATUS_SUCCESS);
  memory.ExpectPattern(1);
}

KFD_TEST_F(SVMRange, InPlaceAgainstTheHolder, BoundedTest,
           .property =
               "giving a second GPU access in place to data in the first one's VRAM ends: "
               "the call succeeds and both GPUs read the data",
           .rules = "SVM-23 SVM-17", .guards = "BUG-51", .scope = Scope::kEachGpuPair,
           .needs = {Capability::kSvm}, .process = Process::kFresh, .time_limit = kLimit,
           .labels = "hang") {
  const SvmMemory memory(kPages);
  memory.FillPattern(1);
  ASSERT_EQ(Set(memory.All(), {Access(gpu(0).node_id), Prefetch(gpu(0).node_id)}),
            HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Set(memory.All(), {AccessInPlace(gpu(1).node_id)}), HSAKMT_STATUS_SUCCESS);
  ExpectGpuSees(memory, 1, 0);
  ExpectGpuSees(memory, 1, 1);
  memory.ExpectPattern(1);
}

KFD_TEST_F(SVMRange, ManyRanges, BoundedTest,
           .property = "1,000 ranges in one interval are set and asked in one call each",
           .rules = "SVM-23 SVM-10", .scope = Scope::kFirstGpu, .needs = {Capability::kSvm}) {
  const SvmMemory memory(1000);
  for (std::size_t page = 0; page < 1000; ++page) {
    ASSERT_EQ(Set(memory.Pages(page), {Granularity(10 + static_cast<HSAuint32>(page % 2))}),
              HSAKMT_STATUS_SUCCESS);
  }
  EXPECT_EQ(StateOf(memory.All()), Defaults().WithGranularity(10));
  ASSERT_EQ(Set(memory.All(), {Granularity(20)}), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(StateOf(memory.All()), Defaults().WithGranularity(20));
}

}  // namespace kfdcts::suites
