// What the thunk refuses before it asks the kernel.
#include "suites/support/svm_test.h"

namespace kfdcts::suites {
namespace {

struct Interval {
  void* start;
  HSAuint64 size;
};

struct IntervalCase {
  std::string_view name;
  Interval (*make)(const SvmMemory& memory);
};

constexpr IntervalCase kBadIntervals[] = {
    {"null_start",
     [](const SvmMemory&) {
       return Interval{nullptr, PageSize()};
     }},
    {"no_size",
     [](const SvmMemory& memory) {
       return Interval{memory.Word(0), 0};
     }},
    {"start_inside_page",
     [](const SvmMemory& memory) {
       return Interval{memory.Word(0) + 1, PageSize()};
     }},
    {"start_half_page",
     [](const SvmMemory& memory) {
       return Interval{&memory.All()[PageSize() / 2], PageSize()};
     }},
    {"size_below_page",
     [](const SvmMemory& memory) {
       return Interval{memory.Word(0), PageSize() - 1};
     }},
    {"size_above_page",
     [](const SvmMemory& memory) {
       return Interval{memory.Word(0), PageSize() + 1};
     }},
    {"both_inside_page",
     [](const SvmMemory& memory) {
       return Interval{memory.Word(0) + 1, PageSize() - 4};
     }},
};

struct NodeCase {
  std::string_view name;
  HSA_SVM_ATTR_TYPE type;
};

constexpr NodeCase kAccessTypes[] = {
    {"access", HSA_SVM_ATTR_ACCESS},
    {"in_place", HSA_SVM_ATTR_ACCESS_IN_PLACE},
    {"no_access", HSA_SVM_ATTR_NO_ACCESS},
};

constexpr NodeCase kNodeTypes[] = {
    {"access", HSA_SVM_ATTR_ACCESS},         {"in_place", HSA_SVM_ATTR_ACCESS_IN_PLACE},
    {"no_access", HSA_SVM_ATTR_NO_ACCESS},   {"preferred", HSA_SVM_ATTR_PREFERRED_LOC},
    {"prefetch", HSA_SVM_ATTR_PREFETCH_LOC},
};

/// No system has so many nodes.
constexpr HSAuint32 kNoNode = 0x7FFFFFF0;

}  // namespace

KFD_TEST_CASES_F(SVMRange, BadIntervalIsNotSet, SvmTest, kBadIntervals,
                 .property =
                     "setting attributes of an interval that is null, empty or not of whole "
                     "pages is INVALID_PARAMETER and changes nothing",
                 .rules = "SVM-1", .scope = Scope::kFirstGpu, .needs = {Capability::kSvm}) {
  const SvmMemory memory(2);
  const Interval bad = param().make(memory);
  HSA_SVM_ATTRIBUTE attribute = Granularity(5);
  EXPECT_EQ(thunk().hsaKmtSVMSetAttr(bad.start, bad.size, 1, &attribute),
            HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(StateOf(memory.All()), Defaults());
}

KFD_TEST_CASES_F(SVMRange, BadIntervalIsNotAsked, SvmTest, kBadIntervals,
                 .property =
                     "asking about an interval that is null, empty or not of whole pages is "
                     "INVALID_PARAMETER and writes nothing",
                 .rules = "SVM-1", .scope = Scope::kFirstGpu, .needs = {Capability::kSvm}) {
  const SvmMemory memory(2);
  ASSERT_EQ(Set(memory.All(), {Granularity(5)}), HSAKMT_STATUS_SUCCESS);
  const Interval bad = param().make(memory);
  HSA_SVM_ATTRIBUTE attribute = Granularity(33);
  EXPECT_EQ(thunk().hsaKmtSVMGetAttr(bad.start, bad.size, 1, &attribute),
            HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(attribute.value, 33U);
}

KFD_TEST_CASES_F(SVMRange, CpuNodeIsNoAccess, SvmTest, kAccessTypes,
                 .property =
                     "the CPU's node as the value of an access attribute is "
                     "INVALID_NODE_UNIT, and nothing of the call is done",
                 .rules = "SVM-13 SVM-2", .scope = Scope::kFirstGpu, .needs = {Capability::kSvm}) {
  const SvmMemory memory(1);
  EXPECT_EQ(Set(memory.All(), {Granularity(5), {param().type, cpu_node()}}),
            HSAKMT_STATUS_INVALID_NODE_UNIT);
  EXPECT_EQ(StateOf(memory.All()), Defaults());
}

KFD_TEST_CASES_F(SVMRange, UnknownNodeIsRefused, SvmTest, kNodeTypes,
                 .property =
                     "a node that does not exist is INVALID_NODE_UNIT as the value of any "
                     "attribute that names one, and nothing of the call is done",
                 .rules = "SVM-2 SVM-13", .scope = Scope::kFirstGpu, .needs = {Capability::kSvm}) {
  const SvmMemory memory(1);
  EXPECT_EQ(Set(memory.All(), {Granularity(5), {param().type, kNoNode}}),
            HSAKMT_STATUS_INVALID_NODE_UNIT);
  EXPECT_EQ(StateOf(memory.All()), Defaults());
}

KFD_TEST_F(SVMRange, CpuNodeIsALocation, SvmTest,
           .property =
               "the CPU's node is a valid preferred and prefetch location and reads back "
               "as such",
           .rules = "SVM-13", .scope = Scope::kFirstGpu, .needs = {Capability::kSvm}) {
  const SvmMemory memory(1);
  ASSERT_EQ(Set(memory.All(), {Preferred(cpu_node()), Prefetch(cpu_node())}),
            HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(StateOf(memory.All()), Defaults().WithPreferred(cpu_node()).WithPrefetch(cpu_node()));
}

KFD_TEST_F(SVMRange, UndefinedIsAPreferredLocationOnly, SvmTest,
           .property =
               "INVALID_NODEID takes the preferred location back; as a prefetch location "
               "it is refused and nothing of the call is done",
           .rules = "SVM-13 SVM-2", .needs = {Capability::kSvm}) {
  const SvmMemory memory(1);
  ASSERT_EQ(Set(memory.All(), {Preferred(gpu().node_id)}), HSAKMT_STATUS_SUCCESS);
  ASSERT_EQ(StateOf(memory.All()), Defaults().WithPreferred(gpu().node_id));
  EXPECT_NE(Set(memory.All(), {Granularity(5), Prefetch(INVALID_NODEID)}), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(StateOf(memory.All()), Defaults().WithPreferred(gpu().node_id));
  ASSERT_EQ(Set(memory.All(), {Preferred(INVALID_NODEID)}), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(StateOf(memory.All()), Defaults());
}

KFD_TEST_F(SVMRange, NullAttributesAreRefused, SvmTest,
           .property =
               "attributes by a null pointer are INVALID_PARAMETER, set and asked; no "
               "attributes at all need none",
           .rules = "SVM-2", .scope = Scope::kFirstGpu, .needs = {Capability::kSvm}) {
  const SvmMemory memory(1);
  void* const start = memory.Word(0);
  EXPECT_EQ(thunk().hsaKmtSVMSetAttr(start, PageSize(), 1, nullptr),
            HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(thunk().hsaKmtSVMGetAttr(start, PageSize(), 1, nullptr),
            HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(thunk().hsaKmtSVMGetAttr(start, PageSize(), 0, nullptr), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(thunk().hsaKmtSVMSetAttr(start, PageSize(), 0, nullptr), HSAKMT_STATUS_SUCCESS);
}

}  // namespace kfdcts::suites
