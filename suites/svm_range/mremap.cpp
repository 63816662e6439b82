// mremap(2): the range stays behind, the pages move.
#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "harness/test_support/child.h"
#include "suites/svm_range/sharing_test.h"

namespace kfdcts::suites {
namespace {

constexpr std::size_t kPages = 16;

class MremapTest : public SharingTest {
 protected:
  /// Moves the memory over other memory of the same size.
  static void Move(SvmMemory& from, const SvmMemory& to) {
    ASSERT_TRUE(from.MoveTo(0, from.page_count(), to)) << std::strerror(errno);
  }
};

}  // namespace

KFD_TEST_F(SVMRange, MremapEndsTheRange, MremapTest,
           .property =
               "after mremap the new address has the defaults and the old data, and what "
               "is mapped anew at the old one has the defaults as well",
           .rules = "SVM-15", .needs = {Capability::kSvm}) {
  SvmMemory memory(kPages);
  Share(memory, Placement::kSystem, 1);
  const SvmMemory target(kPages);
  const auto old_place = memory.All();
  Move(memory, target);
  EXPECT_EQ(StateOf(target.All()), Defaults());
  target.ExpectPattern(1);
  ASSERT_EQ(mmap(old_place.data(), old_place.size(), PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0),
            old_place.data());
  EXPECT_EQ(StateOf(old_place), Defaults());
  ASSERT_EQ(munmap(old_place.data(), old_place.size()), 0);
}

KFD_TEST_F(SVMRange, MremapOverARange, MremapTest,
           .property = "a range whose place mremap moves other memory to is ended",
           .rules = "SVM-15 SVM-14", .needs = {Capability::kSvm}) {
  SvmMemory memory(kPages);
  memory.FillPattern(1);
  const SvmMemory target(kPages);
  Share(target, Placement::kSystem, 2);
  ExpectGpuSees(target, 2);
  Move(memory, target);
  EXPECT_EQ(StateOf(target.All()), Defaults());
  ASSERT_EQ(Set(target.All(), {Access(gpu().node_id)}), HSAKMT_STATUS_SUCCESS);
  ExpectGpuSees(target, 1);
  ExpectOneMemory(target, 3, 4);
}

KFD_TEST_F(SVMRange, MremappedPagesAreShared, MremapTest,
           .property = "at its new address moved memory is given to a GPU as any other",
           .rules = "SVM-15 SVM-17", .needs = {Capability::kSvm}) {
  SvmMemory memory(kPages);
  Share(memory, Placement::kSystem, 1);
  ExpectGpuSees(memory, 1);
  const SvmMemory target(kPages);
  Move(memory, target);
  ASSERT_EQ(Set(target.All(), {Access(gpu().node_id)}), HSAKMT_STATUS_SUCCESS);
  ExpectGpuSees(target, 1);
  ExpectOneMemory(target, 3, 4);
}

KFD_TEST_F(SVMRange, MremapOfVram, MremapTest,
           .property = "memory that is in VRAM keeps its data through mremap", .rules = "SVM-15",
           .guards = "BUG-58", .needs = {Capability::kSvm}) {
  // In a child: where the data is lost, touching it is SIGBUS.
  const auto result = harness::RunInChild([this] {
    OpenKfd();
    SvmMemory memory(kPages);
    Share(memory, Placement::kVram, 1);
    const SvmMemory target(kPages);
    Move(memory, target);
    target.ExpectPattern(1);
    EXPECT_EQ(StateOf(target.All()), Defaults());
  });
  EXPECT_TRUE(result.Passed()) << result.Describe();
}

KFD_TEST_F(SVMRange, GrownMapping, MremapTest,
           .property =
               "a mapping that mremap makes larger in place keeps the range as it was; "
               "what was added has the defaults",
           .rules = "SVM-15", .needs = {Capability::kSvm}) {
  SvmMemory memory(kPages);
  memory.FillPattern(1);
  const auto all = memory.All();
  ASSERT_EQ(munmap(all.data() + 8 * PageSize(), 8 * PageSize()), 0);
  ASSERT_EQ(Set(memory.Pages(0, 8), {AccessInPlace(gpu().node_id), Granularity(4)}),
            HSAKMT_STATUS_SUCCESS);
  ASSERT_EQ(mremap(all.data(), 8 * PageSize(), 16 * PageSize(), 0), all.data());
  EXPECT_EQ(StateOf(memory.Pages(0, 8)),
            Defaults().WithAccess(gpu().node_id, HSA_SVM_ATTR_ACCESS_IN_PLACE).WithGranularity(4));
  EXPECT_EQ(StateOf(memory.Pages(8, 8)), Defaults());
  memory.ExpectPattern(1, 0, 8);
}

}  // namespace kfdcts::suites
