// A set over part of a range splits it at exactly the call's edges.
#include "suites/support/done.h"
#include "suites/support/svm_test.h"

namespace kfdcts::suites {
namespace {

constexpr std::size_t kPages = 16;

struct Part {
  std::string_view name;
  std::size_t first;
  std::size_t count;
};

constexpr Part kParts[] = {
    {"first_page", 0, 1},     {"last_page", 15, 1},    {"head", 0, 5},
    {"tail", 11, 5},          {"middle", 6, 4},        {"middle_page", 7, 1},
    {"all_but_first", 1, 15}, {"all_but_last", 0, 15}, {"all_but_both", 1, 14},
    {"whole", 0, 16},
};

struct AttributeCase {
  std::string_view name;
  /// What is set on a part of a range that has everything of `EverythingOn`.
  HSA_SVM_ATTRIBUTE (*attribute)(HSAuint32 node);
  SvmState (*change)(const SvmState& state, HSAuint32 node);
};

constexpr AttributeCase kOneAttribute[] = {
    {"preferred", [](HSAuint32 node) { return Preferred(node); },
     [](const SvmState& state, HSAuint32 node) { return state.WithPreferred(node); }},
    {"prefetch_cpu", [](HSAuint32) { return Prefetch(0); },
     [](const SvmState& state, HSAuint32) { return state.WithPrefetch(0); }},
    {"access", [](HSAuint32 node) { return Access(node); },
     [](const SvmState& state, HSAuint32 node) {
       return state.WithAccess(node, HSA_SVM_ATTR_ACCESS);
     }},
    {"no_access", [](HSAuint32 node) { return NoAccess(node); },
     [](const SvmState& state, HSAuint32 node) {
       return state.WithAccess(node, HSA_SVM_ATTR_NO_ACCESS);
     }},
    {"set_flags", [](HSAuint32) { return SetFlags(HSA_SVM_FLAG_GPU_READ_MOSTLY); },
     [](const SvmState& state, HSAuint32) {
       return state.WithFlags(state.flags_set | HSA_SVM_FLAG_GPU_READ_MOSTLY);
     }},
    {"clear_flags", [](HSAuint32) { return ClearFlags(HSA_SVM_FLAG_COHERENT); },
     [](const SvmState& state, HSAuint32) {
       return state.WithFlags(state.flags_set & ~HSAuint32{HSA_SVM_FLAG_COHERENT});
     }},
    {"granularity", [](HSAuint32) { return Granularity(2); },
     [](const SvmState& state, HSAuint32) { return state.WithGranularity(2); }},
};

}  // namespace

KFD_TEST_CASES_F(SVMRange, SplitAtBothEdges, SvmTest, kParts,
                 .property =
                     "a set over part of a range changes that part to the page and leaves "
                     "the rest as it was, whatever the granularity",
                 .rules = "SVM-5", .scope = Scope::kFirstGpu, .needs = {Capability::kSvm}) {
  const SvmMemory memory(kPages);
  ASSERT_EQ(Set(memory.All(), {Granularity(3), Preferred(cpu_node())}), HSAKMT_STATUS_SUCCESS);
  const auto part = memory.Pages(param().first, param().count);
  ASSERT_EQ(Set(part, {Granularity(6)}), HSAKMT_STATUS_SUCCESS);
  const SvmState old_state = Defaults().WithGranularity(3).WithPreferred(cpu_node());
  for (std::size_t page = 0; page < kPages; ++page) {
    const bool inside = page >= param().first && page < param().first + param().count;
    EXPECT_EQ(StateOf(memory.Pages(page)), inside ? old_state.WithGranularity(6) : old_state)
        << "page " << page;
  }
  EXPECT_EQ(StateOf(part), old_state.WithGranularity(6));
}

KFD_TEST_CASES_F(SVMRange, SplitKeepsTheRest, SvmTest, kOneAttribute,
                 .property =
                     "both rests of a split range, and the new part in all but what was "
                     "set, keep every attribute",
                 .rules = "SVM-5", .guards = "BUG-35", .needs = {Capability::kSvm}) {
  const SvmMemory memory(9);
  const HSAuint32 node = gpu().node_id;
  ASSERT_EQ(Set(memory.All(), {AccessInPlace(node), Preferred(cpu_node()), Granularity(5),
                               SetFlags(HSA_SVM_FLAG_GPU_EXEC)}),
            HSAKMT_STATUS_SUCCESS);
  const SvmState before = Defaults()
                              .WithAccess(node, HSA_SVM_ATTR_ACCESS_IN_PLACE)
                              .WithPreferred(cpu_node())
                              .WithGranularity(5)
                              .WithFlags(0x3 | HSA_SVM_FLAG_GPU_EXEC);
  ASSERT_EQ(StateOf(memory.All()), before);
  ASSERT_EQ(Set(memory.Pages(3, 3), {param().attribute(node)}), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(StateOf(memory.Pages(0, 3)), before);
  EXPECT_EQ(StateOf(memory.Pages(3, 3)), param().change(before, node));
  EXPECT_EQ(StateOf(memory.Pages(6, 3)), before);
}

KFD_TEST_CASES_F(SVMRange, SplitKeepsContents, SvmTest, kParts,
                 .property =
                     "splitting a range that is in VRAM loses no byte, neither for the GPU "
                     "nor for the CPU",
                 .rules = "SVM-5 SVM-17", .needs = {Capability::kSvm}) {
  const SvmMemory memory(kPages);
  memory.FillPattern(0x51);
  ASSERT_EQ(Set(memory.All(), {Access(gpu().node_id), Prefetch(gpu().node_id)}),
            HSAKMT_STATUS_SUCCESS);
  ASSERT_EQ(Set(memory.Pages(param().first, param().count), {Granularity(2)}),
            HSAKMT_STATUS_SUCCESS);
  const SvmMemory copy(kPages);
  ASSERT_EQ(Set(copy.All(), {Access(gpu().node_id)}), HSAKMT_STATUS_SUCCESS);
  ASSERT_TRUE(Done(Work().Copy(copy.Word(0), memory.Word(0), memory.All().size())));
  copy.ExpectPattern(0x51);
  memory.ExpectPattern(0x51);
}

KFD_TEST_F(SVMRange, SplitEveryPage, SvmTest,
           .property = "a range may be split down to its pages, each with attributes of its own",
           .rules = "SVM-5 SVM-10", .scope = Scope::kFirstGpu, .needs = {Capability::kSvm}) {
  const SvmMemory memory(64);
  ASSERT_EQ(Set(memory.All(), {Granularity(63)}), HSAKMT_STATUS_SUCCESS);
  for (std::size_t page = 0; page < 64; page += 2) {
    ASSERT_EQ(Set(memory.Pages(page), {Granularity(static_cast<HSAuint32>(page))}),
              HSAKMT_STATUS_SUCCESS);
  }
  for (std::size_t page = 0; page < 64; ++page) {
    const auto expected = static_cast<HSAuint32>(page % 2 == 0 ? page : 63);
    EXPECT_EQ(StateOf(memory.Pages(page)), Defaults().WithGranularity(expected)) << page;
  }
  EXPECT_EQ(StateOf(memory.Pages(40, 24)), Defaults().WithGranularity(40));
}

}  // namespace kfdcts::suites
