// Attributes of parts of huge pages, at any page.
#include "suites/svm_range/sharing_test.h"

namespace kfdcts::suites {
namespace {

constexpr std::size_t kHuge = std::size_t{2} << 20U;

struct Part {
  std::string_view name;
  std::ptrdiff_t first;  ///< Pages from the middle, which is the edge of two huge pages.
  std::size_t count;
};

constexpr Part kParts[] = {
    {"page_before_edge", -1, 1}, {"page_after_edge", 0, 1}, {"over_edge", -1, 2},
    {"inside_first", -100, 30},  {"inside_last", 7, 100},   {"first_page", -512, 1},
    {"last_page", 511, 1},       {"huge_page", 0, 512},     {"off_by_one", 1, 510},
};

class HugePageTest : public SharingTest {
 protected:
  void CheckPart(const Part& part, Placement placement) {
    const SvmMemory memory(2 * kHuge / PageSize(), SvmMemory::Kind::kHuge);
    const SvmMemory copy(2 * kHuge / PageSize(), SvmMemory::Kind::kHuge);
    Share(memory, placement, 1);
    Share(copy, placement, 2);
    ASSERT_TRUE(Done(Work().Fill(copy.Word(0), 0, copy.All().size())));
    const auto first =
        static_cast<std::size_t>(static_cast<std::ptrdiff_t>(memory.page_count() / 2) + part.first);
    for (const SvmMemory* changed : {&memory, &copy}) {
      ASSERT_EQ(Set(changed->Pages(first, part.count), {SetFlags(HSA_SVM_FLAG_GPU_READ_MOSTLY)}),
                HSAKMT_STATUS_SUCCESS);
    }
    ASSERT_TRUE(Done(Work().Copy(copy.Word(0), memory.Word(0), memory.All().size())));
    copy.ExpectPattern(1);
    memory.ExpectPattern(1);
  }
};

}  // namespace

KFD_TEST_CASES_F(SVMRange, PartOfHugePagesWithRetry, HugePageTest, kParts,
                 .property =
                     "after an attribute of part of huge pages changed, the GPU reads and "
                     "writes all of them still; XNACK on",
                 .rules = "SVM-5 SVM-15", .guards = "BUG-31", .needs = {Capability::kSvm},
                 .process = Process::kFresh, .xnack = harness::Xnack::kOn) {
  CheckPart(param(), Placement::kSystem);
}

KFD_TEST_CASES_F(SVMRange, PartOfHugePagesWithoutRetry, HugePageTest, kParts,
                 .property =
                     "after an attribute of part of huge pages changed, the GPU reads and "
                     "writes all of them still; XNACK off",
                 .rules = "SVM-5 SVM-15", .guards = "BUG-31", .needs = {Capability::kSvm},
                 .process = Process::kFresh, .xnack = harness::Xnack::kOff) {
  CheckPart(param(), Placement::kSystem);
}

KFD_TEST_CASES_F(SVMRange, PartOfHugePagesInVramWithRetry, HugePageTest, kParts,
                 .property =
                     "after an attribute of part of huge pages in VRAM changed, the GPU "
                     "reads and writes all of them still; XNACK on",
                 .rules = "SVM-5 SVM-15", .guards = "BUG-31", .needs = {Capability::kSvm},
                 .process = Process::kFresh, .xnack = harness::Xnack::kOn) {
  CheckPart(param(), Placement::kVram);
}

KFD_TEST_CASES_F(SVMRange, PartOfHugePagesInVramWithoutRetry, HugePageTest, kParts,
                 .property =
                     "after an attribute of part of huge pages in VRAM changed, the GPU "
                     "reads and writes all of them still; XNACK off",
                 .rules = "SVM-5 SVM-15", .guards = "BUG-31", .needs = {Capability::kSvm},
                 .process = Process::kFresh, .xnack = harness::Xnack::kOff) {
  CheckPart(param(), Placement::kVram);
}

}  // namespace kfdcts::suites
