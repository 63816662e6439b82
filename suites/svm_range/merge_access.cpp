// Asking over several ranges: the access of a GPU.
#include "suites/support/svm_test.h"

namespace kfdcts::suites {
namespace {

constexpr auto kAccess = HSA_SVM_ATTR_ACCESS;
constexpr auto kInPlace = HSA_SVM_ATTR_ACCESS_IN_PLACE;
constexpr auto kNone = HSA_SVM_ATTR_NO_ACCESS;

struct AccessCase {
  std::string_view name;
  std::vector<HSA_SVM_ATTR_TYPE> pieces;
  HSA_SVM_ATTR_TYPE whole;
};

const AccessCase kMerges[] = {
    {"access_access", {kAccess, kAccess}, kAccess},
    {"in_place_in_place", {kInPlace, kInPlace}, kInPlace},
    {"none_none", {kNone, kNone}, kNone},
    {"access_in_place", {kAccess, kInPlace}, kNone},
    {"in_place_access", {kInPlace, kAccess}, kNone},
    {"access_none", {kAccess, kNone}, kNone},
    {"none_access", {kNone, kAccess}, kNone},
    {"in_place_none", {kInPlace, kNone}, kNone},
    {"none_in_place", {kNone, kInPlace}, kNone},
    {"access_in_place_access", {kAccess, kInPlace, kAccess}, kNone},
    {"in_place_access_in_place", {kInPlace, kAccess, kInPlace}, kNone},
    {"three_access", {kAccess, kAccess, kAccess}, kAccess},
    {"three_in_place", {kInPlace, kInPlace, kInPlace}, kInPlace},
    {"each", {kAccess, kInPlace, kNone}, kNone},
};

struct OrderCase {
  std::string_view name;
  std::vector<HSA_SVM_ATTR_TYPE> order;
};

const OrderCase kOrders[] = {
    {"access_last", {kNone, kInPlace, kAccess}},    {"in_place_last", {kAccess, kNone, kInPlace}},
    {"none_last", {kInPlace, kAccess, kNone}},      {"access_after_in_place", {kInPlace, kAccess}},
    {"in_place_after_access", {kAccess, kInPlace}}, {"none_after_access", {kAccess, kNone}},
    {"none_after_in_place", {kInPlace, kNone}},     {"access_again", {kAccess, kNone, kAccess}},
};

class AccessTest : public SvmTest {
 protected:
  void CheckMerge(const AccessCase& one) const {
    const HSAuint32 node = gpu().node_id;
    const SvmMemory memory(2 * one.pieces.size());
    for (std::size_t i = 0; i < one.pieces.size(); ++i) {
      ASSERT_EQ(Set(memory.Pages(2 * i, 2), {{one.pieces[i], node}}), HSAKMT_STATUS_SUCCESS);
    }
    EXPECT_EQ(StateOf(memory.All()), Defaults().WithAccess(node, one.whole));
    for (std::size_t i = 0; i < one.pieces.size(); ++i) {
      EXPECT_EQ(StateOf(memory.Pages(2 * i, 2)), Defaults().WithAccess(node, one.pieces[i])) << i;
    }
  }
};

}  // namespace

KFD_TEST_CASES_F(SVMRange, AccessMergesWithRetry, AccessTest, kMerges,
                 .property =
                     "over several ranges a GPU's access is ACCESS or IN_PLACE where all "
                     "have just that, else NO_ACCESS, given as the attribute's type; with "
                     "XNACK on",
                 .rules = "SVM-8", .needs = {Capability::kSvm}, .xnack = harness::Xnack::kOn) {
  CheckMerge(param());
}

KFD_TEST_CASES_F(SVMRange, AccessMergesWithoutRetry, AccessTest, kMerges,
                 .property =
                     "over several ranges a GPU's access is ACCESS or IN_PLACE where all "
                     "have just that, else NO_ACCESS, given as the attribute's type; with "
                     "XNACK off",
                 .rules = "SVM-8", .needs = {Capability::kSvm}, .xnack = harness::Xnack::kOff) {
  CheckMerge(param());
}

KFD_TEST_CASES_F(SVMRange, LastAccessInACallWins, AccessTest, kOrders,
                 .property =
                     "of several accesses of one GPU in one call the last one is set, and "
                     "it excludes the others",
                 .rules = "SVM-11", .needs = {Capability::kSvm}) {
  const SvmMemory memory(2);
  std::vector<HSA_SVM_ATTRIBUTE> attributes;
  for (const auto type : param().order) attributes.push_back({type, gpu().node_id});
  ASSERT_EQ(Set(memory.All(), attributes), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(StateOf(memory.All()), Defaults().WithAccess(gpu().node_id, param().order.back()));
}

KFD_TEST_CASES_F(SVMRange, AccessReplacesAccess, AccessTest, kOrders,
                 .property = "an access set by a later call replaces the one before it",
                 .rules = "SVM-11", .guards = "BUG-35", .needs = {Capability::kSvm}) {
  const SvmMemory memory(2);
  for (const auto type : param().order) {
    ASSERT_EQ(Set(memory.All(), {{type, gpu().node_id}}), HSAKMT_STATUS_SUCCESS);
    EXPECT_EQ(StateOf(memory.All()), Defaults().WithAccess(gpu().node_id, type));
  }
}

KFD_TEST_F(SVMRange, AccessWithHoles, AccessTest,
           .property =
               "pages without a range take no part in a GPU's access, though by themselves "
               "they say the default",
           .rules = "SVM-8 SVM-7", .needs = {Capability::kSvm}) {
  const HSAuint32 node = gpu().node_id;
  for (const auto type : {kAccess, kInPlace, kNone}) {
    const SvmMemory memory(6);
    ASSERT_EQ(Set(memory.Pages(2, 2), {{type, node}}), HSAKMT_STATUS_SUCCESS);
    EXPECT_EQ(StateOf(memory.All()), Defaults().WithAccess(node, type));
    EXPECT_EQ(StateOf(memory.Pages(4, 2)), Defaults());
  }
}

KFD_TEST_F(SVMRange, AccessOfEachGpuMergesApart, AccessTest,
           .property = "what one GPU may do with a range leaves another GPU's answer alone",
           .rules = "SVM-8 SVM-11", .scope = Scope::kEachGpuPair, .needs = {Capability::kSvm}) {
  const HSAuint32 first = gpu(0).node_id;
  const HSAuint32 second = gpu(1).node_id;
  const SvmMemory memory(4);
  ASSERT_EQ(Set(memory.Pages(0, 2), {Access(first), AccessInPlace(second)}), HSAKMT_STATUS_SUCCESS);
  ASSERT_EQ(Set(memory.Pages(2, 2), {NoAccess(first), AccessInPlace(second)}),
            HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(StateOf(memory.All()),
            Defaults().WithAccess(first, kNone).WithAccess(second, kInPlace));
  EXPECT_EQ(StateOf(memory.Pages(0, 2)),
            Defaults().WithAccess(first, kAccess).WithAccess(second, kInPlace));
  EXPECT_EQ(StateOf(memory.Pages(2, 2)),
            Defaults().WithAccess(first, kNone).WithAccess(second, kInPlace));
}

}  // namespace kfdcts::suites
