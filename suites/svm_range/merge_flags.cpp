// Flags: stored, cleared, and asked over several ranges.
#include "suites/support/svm_test.h"

namespace kfdcts::suites {
namespace {

constexpr HSAuint32 kExec = HSA_SVM_FLAG_GPU_EXEC;
constexpr HSAuint32 kReadOnly = HSA_SVM_FLAG_GPU_RO;
constexpr HSAuint32 kDefault = HSA_SVM_FLAG_HOST_ACCESS | HSA_SVM_FLAG_COHERENT;

struct FlagCase {
  std::string_view name;
  HSAuint32 flag;
};

constexpr FlagCase kEachFlag[] = {
    {"host_access", 0x1},    {"coherent", 0x2},
    {"hive_local", 0x4},     {"gpu_ro", 0x8},
    {"gpu_exec", 0x10},      {"gpu_read_mostly", 0x20},
    {"always_mapped", 0x40}, {"ext_coherent", 0x80},
    {"unknown_bit", 0x100},  {"highest_bit", 0x80000000},
};

struct MergeCase {
  std::string_view name;
  std::vector<HSAuint32> pieces;  ///< All the flags of a piece.
  HSAuint32 in_all;
  HSAuint32 in_none;
};

const MergeCase kMerges[] = {
    {"same", {0x13, 0x13}, 0x13, ~0x13U},
    {"one_more", {0x3, 0x13}, 0x3, ~0x13U},
    {"one_less", {0x13, 0x3}, 0x3, ~0x13U},
    {"nothing_in_common", {0x1, 0x12}, 0x0, ~0x13U},
    {"none_at_all", {0x0, 0x0}, 0x0, 0xFFFFFFFF},
    {"none_and_some", {0x0, 0x3}, 0x0, ~0x3U},
    {"three", {0x7, 0xB, 0x13}, 0x3, ~0x1FU},
    {"all_bits_and_default", {0xFFFFFFFF, 0x3}, 0x3, 0x0},
    {"high_bits", {0x80000003, 0x40000003}, 0x3, ~0xC0000003},
};

}  // namespace

KFD_TEST_CASES_F(SVMRange, EachFlagIsStored, SvmTest, kEachFlag,
                 .property =
                     "any bit may be set and cleared as a flag, known or not, and no other "
                     "bit changes with it",
                 .rules = "SVM-9 SVM-18", .guards = "BUG-35", .scope = Scope::kFirstGpu,
                 .needs = {Capability::kSvm}) {
  const SvmMemory memory(2);
  ASSERT_EQ(Set(memory.All(), {SetFlags(param().flag)}), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(StateOf(memory.All()), Defaults().WithFlags(kDefault | param().flag));
  ASSERT_EQ(Set(memory.All(), {ClearFlags(param().flag)}), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(StateOf(memory.All()), Defaults().WithFlags(kDefault & ~param().flag));
}

KFD_TEST_CASES_F(SVMRange, FlagsMerge, SvmTest, kMerges,
                 .property =
                     "over several ranges SET_FLAGS gives the bits that all have and "
                     "CLR_FLAGS those that none has, of all 32",
                 .rules = "SVM-9", .scope = Scope::kFirstGpu, .needs = {Capability::kSvm}) {
  const SvmMemory memory(2 * param().pieces.size());
  for (std::size_t i = 0; i < param().pieces.size(); ++i) {
    const HSAuint32 flags = param().pieces[i];
    ASSERT_EQ(Set(memory.Pages(2 * i, 2), {SetFlags(flags), ClearFlags(~flags)}),
              HSAKMT_STATUS_SUCCESS);
    EXPECT_EQ(StateOf(memory.Pages(2 * i, 2)), Defaults().WithFlags(flags));
  }
  SvmState expected = Defaults();
  expected.flags_set = param().in_all;
  expected.flags_clear = param().in_none;
  EXPECT_EQ(StateOf(memory.All()), expected);
}

KFD_TEST_F(SVMRange, FlagsChangeAlone, SvmTest,
           .property = "a set of nothing but flags changes an existing range, bit by bit",
           .rules = "SVM-9", .guards = "BUG-35", .needs = {Capability::kSvm}) {
  const SvmMemory memory(2);
  ASSERT_EQ(Set(memory.All(), {Access(gpu().node_id)}), HSAKMT_STATUS_SUCCESS);
  const SvmState own = Defaults().WithAccess(gpu().node_id, HSA_SVM_ATTR_ACCESS);
  ASSERT_EQ(Set(memory.All(), {SetFlags(kReadOnly)}), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(StateOf(memory.All()), own.WithFlags(kDefault | kReadOnly));
  ASSERT_EQ(Set(memory.All(), {SetFlags(kExec)}), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(StateOf(memory.All()), own.WithFlags(kDefault | kReadOnly | kExec));
  ASSERT_EQ(Set(memory.All(), {ClearFlags(kReadOnly)}), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(StateOf(memory.All()), own.WithFlags(kDefault | kExec));
}

// Golden rule 12.
KFD_TEST_F(SVMRange, FlagsInOrder, SvmTest,
           .property = "of setting and clearing one bit in one call the last one counts",
           .rules = "SVM-9 SVM-11", .scope = Scope::kFirstGpu, .needs = {Capability::kSvm}) {
  const SvmMemory memory(2);
  ASSERT_EQ(Set(memory.Pages(0), {SetFlags(kExec | kReadOnly), ClearFlags(kExec)}),
            HSAKMT_STATUS_SUCCESS);
  ASSERT_EQ(Set(memory.Pages(1), {ClearFlags(kExec | kReadOnly), SetFlags(kExec)}),
            HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(StateOf(memory.Pages(0)), Defaults().WithFlags(kDefault | kReadOnly));
  EXPECT_EQ(StateOf(memory.Pages(1)), Defaults().WithFlags(kDefault | kExec));
}

}  // namespace kfdcts::suites
