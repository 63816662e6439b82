// Granularity: clamped, and the smallest of several ranges.
#include "suites/support/svm_test.h"

namespace kfdcts::suites {
namespace {

struct ClampCase {
  std::string_view name;
  HSAuint32 set;
  HSAuint32 stored;
};

constexpr ClampCase kClamps[] = {
    {"zero", 0, 0},
    {"one", 1, 1},
    {"default", 9, 9},
    {"largest", 63, 63},
    {"one_above", 64, 63},
    {"byte", 255, 63},
    {"byte_and_one", 256, 63},
    {"not_64_of_a_byte", 320, 63},
    {"all_bits", 0xFFFFFFFF, 63},
};

struct MergeCase {
  std::string_view name;
  std::vector<HSAuint32> pieces;
  HSAuint32 whole;
};

const MergeCase kMerges[] = {
    {"smallest_first", {2, 11}, 2},     {"smallest_last", {11, 2}, 2},
    {"smallest_between", {8, 0, 8}, 0}, {"same", {5, 5}, 5},
    {"above_default", {12, 13}, 12},    {"clamped", {64, 63}, 63},
};

}  // namespace

KFD_TEST_CASES_F(SVMRange, GranularityIsClamped, SvmTest, kClamps,
                 .property = "granularities above 63 are stored as 63, all others as they are",
                 .rules = "SVM-10", .scope = Scope::kFirstGpu, .needs = {Capability::kSvm}) {
  const SvmMemory memory(2);
  ASSERT_EQ(Set(memory.All(), {Granularity(param().set)}), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(StateOf(memory.All()), Defaults().WithGranularity(param().stored));
}

KFD_TEST_CASES_F(SVMRange, GranularityMerges, SvmTest, kMerges,
                 .property = "over several ranges the granularity is the smallest",
                 .rules = "SVM-10", .scope = Scope::kFirstGpu, .needs = {Capability::kSvm}) {
  const SvmMemory memory(2 * param().pieces.size());
  for (std::size_t i = 0; i < param().pieces.size(); ++i) {
    ASSERT_EQ(Set(memory.Pages(2 * i, 2), {Granularity(param().pieces[i])}), HSAKMT_STATUS_SUCCESS);
  }
  EXPECT_EQ(StateOf(memory.All()), Defaults().WithGranularity(param().whole));
}

}  // namespace kfdcts::suites
