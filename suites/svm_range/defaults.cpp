// What an interval without a range says.
#include <sys/mman.h>

#include "suites/support/svm_test.h"

namespace kfdcts::suites {
namespace {

struct KindOfMemory {
  std::string_view name;
  SvmMemory::Kind kind;
};

constexpr KindOfMemory kKinds[] = {
    {"anonymous", SvmMemory::Kind::kAnonymous},
    {"shared", SvmMemory::Kind::kShared},
    {"file_private", SvmMemory::Kind::kFilePrivate},
    {"file_shared", SvmMemory::Kind::kFileShared},
    {"huge", SvmMemory::Kind::kHuge},
};

/// The answer of SVM-4 with the same access for every GPU.
SvmState StateWith(HSA_SVM_ATTR_TYPE access, const std::vector<harness::GpuNode>& gpus) {
  SvmState state;
  state.preferred = INVALID_NODEID;
  state.prefetch = INVALID_NODEID;
  state.flags_set = 0x3;
  state.flags_clear = 0xFFFFFFFC;
  state.granularity = 9;
  for (const harness::GpuNode& gpu : gpus) state.access[gpu.node_id] = access;
  return state;
}

}  // namespace

KFD_TEST_CASES_F(SVMRange, DefaultsWithRetry, SvmTest, kKinds,
                 .property =
                     "with XNACK on, memory that no range covers says: locations undefined, "
                     "flags HOST_ACCESS and COHERENT, granularity 9, access of every GPU",
                 .rules = "SVM-4", .scope = Scope::kFirstGpu, .needs = {Capability::kSvm},
                 .xnack = harness::Xnack::kOn) {
  const SvmMemory memory(3, param().kind);
  EXPECT_EQ(StateOf(memory.All()), StateWith(HSA_SVM_ATTR_ACCESS, system_gpus()));
}

KFD_TEST_CASES_F(SVMRange, DefaultsWithoutRetry, SvmTest, kKinds,
                 .property =
                     "with XNACK off, memory that no range covers says the same as with "
                     "XNACK on, but access of no GPU",
                 .rules = "SVM-4", .scope = Scope::kFirstGpu, .needs = {Capability::kSvm},
                 .xnack = harness::Xnack::kOff) {
  const SvmMemory memory(3, param().kind);
  EXPECT_EQ(StateOf(memory.All()), StateWith(HSA_SVM_ATTR_NO_ACCESS, system_gpus()));
}

KFD_TEST_F(SVMRange, NoRightsNeeded, SvmTest,
           .property = "memory without access rights has attributes as any other",
           .rules = "SVM-4 SVM-3", .scope = Scope::kFirstGpu, .needs = {Capability::kSvm}) {
  const SvmMemory memory(2);
  ASSERT_EQ(mprotect(memory.Word(0), 2 * PageSize(), PROT_NONE), 0);
  EXPECT_EQ(StateOf(memory.All()), Defaults());
  ASSERT_EQ(Set(memory.All(), {Granularity(5)}), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(StateOf(memory.All()), Defaults().WithGranularity(5));
}

}  // namespace kfdcts::suites
