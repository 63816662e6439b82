// Asking over several ranges: preferred and prefetch location.
#include "suites/support/svm_test.h"

namespace kfdcts::suites {
namespace {

/// What a piece of two pages got before the whole is asked.
enum class Piece {
  kHole,       ///< No range.
  kUndefined,  ///< A range whose location nobody set.
  kCpu,
  kGpu,
};

struct MergeCase {
  std::string_view name;
  std::vector<Piece> pieces;
  Piece whole;  ///< kUndefined: INVALID_NODEID.
};

const MergeCase kMerges[] = {
    {"one_cpu", {Piece::kCpu}, Piece::kCpu},
    {"one_gpu", {Piece::kGpu}, Piece::kGpu},
    {"gpu_gpu", {Piece::kGpu, Piece::kGpu}, Piece::kGpu},
    {"cpu_cpu", {Piece::kCpu, Piece::kCpu}, Piece::kCpu},
    {"gpu_cpu", {Piece::kGpu, Piece::kCpu}, Piece::kUndefined},
    {"cpu_gpu", {Piece::kCpu, Piece::kGpu}, Piece::kUndefined},
    {"undefined_first", {Piece::kUndefined, Piece::kGpu}, Piece::kUndefined},
    {"undefined_last", {Piece::kGpu, Piece::kUndefined}, Piece::kUndefined},
    {"undefined_between", {Piece::kGpu, Piece::kUndefined, Piece::kGpu}, Piece::kUndefined},
    {"cpu_and_undefined", {Piece::kCpu, Piece::kUndefined}, Piece::kUndefined},
    // A later pair that agrees does not mend an earlier one that did not.
    {"differ_then_agree", {Piece::kGpu, Piece::kCpu, Piece::kCpu}, Piece::kUndefined},
    {"agree_then_differ", {Piece::kCpu, Piece::kCpu, Piece::kGpu}, Piece::kUndefined},
    {"differ_and_return", {Piece::kGpu, Piece::kCpu, Piece::kGpu}, Piece::kUndefined},
    {"hole_first", {Piece::kHole, Piece::kGpu}, Piece::kGpu},
    {"hole_last", {Piece::kGpu, Piece::kHole}, Piece::kGpu},
    {"hole_between", {Piece::kCpu, Piece::kHole, Piece::kCpu}, Piece::kCpu},
    {"hole_between_differing", {Piece::kCpu, Piece::kHole, Piece::kGpu}, Piece::kUndefined},
    {"holes_only", {Piece::kHole, Piece::kHole}, Piece::kUndefined},
};

class LocationTest : public SvmTest {
 protected:
  HSAuint32 NodeOf(Piece piece) const {
    if (piece == Piece::kGpu) return gpu().node_id;
    return piece == Piece::kCpu ? cpu_node() : INVALID_NODEID;
  }

  /// Sets the pieces, two pages each, by `make`, and gives the answer about all of them.
  SvmState Merged(const MergeCase& one, HSA_SVM_ATTRIBUTE (*make)(HSAuint32)) const {
    const SvmMemory memory(2 * one.pieces.size());
    for (std::size_t i = 0; i < one.pieces.size(); ++i) {
      if (one.pieces[i] == Piece::kHole) continue;
      std::vector<HSA_SVM_ATTRIBUTE> attributes;
      if (one.pieces[i] != Piece::kUndefined) attributes.push_back(make(NodeOf(one.pieces[i])));
      EXPECT_EQ(Set(memory.Pages(2 * i, 2), attributes), HSAKMT_STATUS_SUCCESS);
    }
    return StateOf(memory.All());
  }
};

}  // namespace

KFD_TEST_CASES_F(SVMRange, PreferredLocationMerges, LocationTest, kMerges,
                 .property =
                     "over several ranges the preferred location is the one that all have, "
                     "and undefined as soon as two differ or one has none; holes are left "
                     "out",
                 .rules = "SVM-7", .needs = {Capability::kSvm}) {
  EXPECT_EQ(Merged(param(), Preferred), Defaults().WithPreferred(NodeOf(param().whole)));
}

KFD_TEST_CASES_F(SVMRange, PrefetchLocationMerges, LocationTest, kMerges,
                 .property =
                     "over several ranges the prefetch location is the one that all have, "
                     "and undefined as soon as two differ or one has none; holes are left "
                     "out",
                 .rules = "SVM-7", .needs = {Capability::kSvm}) {
  EXPECT_EQ(Merged(param(), Prefetch), Defaults().WithPrefetch(NodeOf(param().whole)));
}

KFD_TEST_F(SVMRange, LocationsMergeApart, SvmTest,
           .property =
               "a preferred location that differs leaves the prefetch location's answer "
               "alone, and the other way round",
           .rules = "SVM-7", .needs = {Capability::kSvm}) {
  const SvmMemory memory(4);
  const HSAuint32 node = gpu().node_id;
  ASSERT_EQ(Set(memory.Pages(0, 2), {Preferred(node), Prefetch(cpu_node())}),
            HSAKMT_STATUS_SUCCESS);
  ASSERT_EQ(Set(memory.Pages(2, 2), {Preferred(cpu_node()), Prefetch(cpu_node())}),
            HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(StateOf(memory.All()), Defaults().WithPrefetch(cpu_node()));
  ASSERT_EQ(Set(memory.Pages(2, 2), {Preferred(node)}), HSAKMT_STATUS_SUCCESS);
  ASSERT_EQ(Set(memory.Pages(0, 2), {Prefetch(node)}), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(StateOf(memory.All()), Defaults().WithPreferred(node));
}

KFD_TEST_F(SVMRange, TwoGpusAreTwoLocations, SvmTest,
           .property =
               "two GPUs as the locations of two ranges make the answer undefined, one of "
               "them as that of both is the answer",
           .rules = "SVM-7", .scope = Scope::kEachGpuPair, .needs = {Capability::kSvm}) {
  const SvmMemory memory(4);
  const HSAuint32 first = gpu(0).node_id;
  const HSAuint32 second = gpu(1).node_id;
  ASSERT_EQ(Set(memory.Pages(0, 2), {Preferred(first), Prefetch(first)}), HSAKMT_STATUS_SUCCESS);
  ASSERT_EQ(Set(memory.Pages(2, 2), {Preferred(second), Prefetch(second)}), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(StateOf(memory.All()), Defaults());
  ASSERT_EQ(Set(memory.Pages(0, 2), {Preferred(second), Prefetch(second)}), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(StateOf(memory.All()), Defaults().WithPreferred(second).WithPrefetch(second));
}

}  // namespace kfdcts::suites
