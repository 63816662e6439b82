// How many attributes a call takes.
#include "suites/support/svm_test.h"

namespace kfdcts::suites {
namespace {

/// What the 14 bits for the size of an ioctl's argument hold.
constexpr std::size_t kMost = 2044;

struct TypeCase {
  std::string_view name;
  HSAuint32 type;
};

constexpr TypeCase kWrongTypes[] = {
    {"after_last", 8},
    {"largest", 0xFFFFFFFF},
};

}  // namespace

KFD_TEST_F(SVMRange, MostAttributesAreAllSet, SvmTest,
           .property = "2,044 attributes go in one call, and the last of them counts",
           .rules = "SVM-22", .scope = Scope::kFirstGpu, .needs = {Capability::kSvm}) {
  const SvmMemory memory(1);
  std::vector<HSA_SVM_ATTRIBUTE> attributes(kMost, Granularity(5));
  attributes.back() = Granularity(7);
  ASSERT_EQ(Set(memory.All(), attributes), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(StateOf(memory.All()), Defaults().WithGranularity(7));
}

KFD_TEST_F(SVMRange, MostAttributesAreAllAnswered, SvmTest,
           .property = "2,044 attributes are asked in one call, and the last is answered",
           .rules = "SVM-22", .scope = Scope::kFirstGpu, .needs = {Capability::kSvm}) {
  const SvmMemory memory(1);
  ASSERT_EQ(Set(memory.All(), {Granularity(5)}), HSAKMT_STATUS_SUCCESS);
  std::vector<HSA_SVM_ATTRIBUTE> attributes(kMost, Granularity(0));
  ASSERT_EQ(Get(memory.All(), attributes), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(attributes.front().value, 5U);
  EXPECT_EQ(attributes.back().value, 5U);
}

KFD_TEST_F(SVMRange, OneAttributeMoreIsNotSet, SvmTest,
           .property = "2,045 attributes are INVALID_PARAMETER and none of them is set",
           .rules = "SVM-22", .scope = Scope::kFirstGpu, .needs = {Capability::kSvm}) {
  const SvmMemory memory(1);
  EXPECT_EQ(Set(memory.All(), std::vector<HSA_SVM_ATTRIBUTE>(kMost + 1, Granularity(5))),
            HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(StateOf(memory.All()), Defaults());
}

KFD_TEST_F(SVMRange, OneAttributeMoreIsNotAnswered, SvmTest,
           .property = "asking with 2,045 attributes is INVALID_PARAMETER and writes nothing",
           .rules = "SVM-22", .scope = Scope::kFirstGpu, .needs = {Capability::kSvm}) {
  const SvmMemory memory(1);
  std::vector<HSA_SVM_ATTRIBUTE> attributes(kMost + 1, Granularity(33));
  EXPECT_EQ(Get(memory.All(), attributes), HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(attributes.front().value, 33U);
}

KFD_TEST_CASES_F(SVMRange, UnknownTypeIsNotSet, SvmTest, kWrongTypes,
                 .property =
                     "an unknown attribute type at the end of a call is refused, and "
                     "nothing of the call is done: no range is made",
                 .rules = "SVM-2", .scope = Scope::kFirstGpu, .needs = {Capability::kSvm}) {
  const SvmMemory memory(1);
  EXPECT_NE(Set(memory.All(), {Granularity(5), {param().type, 0}}), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(StateOf(memory.All()), Defaults());
}

KFD_TEST_CASES_F(SVMRange, UnknownTypeIsNotAnswered, SvmTest, kWrongTypes,
                 .property = "asking for an unknown attribute type is refused and writes nothing",
                 .rules = "SVM-2", .scope = Scope::kFirstGpu, .needs = {Capability::kSvm}) {
  const SvmMemory memory(1);
  std::vector<HSA_SVM_ATTRIBUTE> attributes{Granularity(33), {param().type, 1}};
  EXPECT_NE(Get(memory.All(), attributes), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(attributes[0].value, 33U);
}

}  // namespace kfdcts::suites
