// The form of questions and answers.
#include "suites/support/svm_test.h"

namespace kfdcts::suites {

// Golden rule 6: what was answered is no question.
KFD_TEST_F(SVMRange, AnswerIsNoQuestion, SvmTest,
           .property =
               "an answer of ACCESS_IN_PLACE or NO_ACCESS cannot be asked again: the call "
               "fails and writes nothing",
           .rules = "SVM-2 SVM-8", .needs = {Capability::kSvm}) {
  const SvmMemory memory(1);
  for (const auto type : {HSA_SVM_ATTR_ACCESS_IN_PLACE, HSA_SVM_ATTR_NO_ACCESS}) {
    ASSERT_EQ(Set(memory.All(), {{type, gpu().node_id}}), HSAKMT_STATUS_SUCCESS);
    std::vector<HSA_SVM_ATTRIBUTE> asked{Access(gpu().node_id), Granularity(33)};
    ASSERT_EQ(Get(memory.All(), asked), HSAKMT_STATUS_SUCCESS);
    EXPECT_EQ(asked[0].type, static_cast<HSAuint32>(type));
    EXPECT_EQ(asked[0].value, gpu().node_id);
    asked[1].value = 33;
    EXPECT_EQ(Get(memory.All(), asked), HSAKMT_STATUS_ERROR);
    EXPECT_EQ(asked[1].value, 33U);
  }
}

// Golden rule 9.
KFD_TEST_F(SVMRange, NoQuestionChecksTheInterval, SvmTest,
           .property =
               "asking for no attribute succeeds where the interval is mapped and fails "
               "where it is not",
           .rules = "SVM-3", .scope = Scope::kFirstGpu, .needs = {Capability::kSvm}) {
  SvmMemory memory(2);
  const auto all = memory.All();
  std::vector<HSA_SVM_ATTRIBUTE> nothing;
  EXPECT_EQ(Get(all, nothing), HSAKMT_STATUS_SUCCESS);
  memory.Unmap(1, 1);
  EXPECT_EQ(Get(all, nothing), HSAKMT_STATUS_ERROR);
  EXPECT_EQ(Get(memory.Pages(0), nothing), HSAKMT_STATUS_SUCCESS);
}

KFD_TEST_F(SVMRange, EveryEntryIsAnswered, SvmTest,
           .property =
               "attributes asked several times in one call, in any order, are answered "
               "each time",
           .rules = "SVM-7 SVM-9 SVM-10", .needs = {Capability::kSvm}) {
  const SvmMemory memory(1);
  ASSERT_EQ(Set(memory.All(), {Granularity(5), Preferred(gpu().node_id), Prefetch(cpu_node())}),
            HSAKMT_STATUS_SUCCESS);
  std::vector<HSA_SVM_ATTRIBUTE> asked{Granularity(0), Prefetch(77), Preferred(77), SetFlags(0),
                                       ClearFlags(0),  Preferred(0), Granularity(1)};
  ASSERT_EQ(Get(memory.All(), asked), HSAKMT_STATUS_SUCCESS);
  const std::vector<HSAuint32> expected{
      5, cpu_node(), gpu().node_id, 0x3, 0xFFFFFFFC, gpu().node_id, 5};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(asked[i].value, expected[i]) << i;
}

KFD_TEST_F(SVMRange, AnswerAboutOneGpu, SvmTest,
           .property =
               "each GPU's access may be asked by itself and gives what all of them "
               "together give",
           .rules = "SVM-8", .scope = Scope::kEachGpuPair, .needs = {Capability::kSvm}) {
  const SvmMemory memory(1);
  ASSERT_EQ(Set(memory.All(), {AccessInPlace(gpu(0).node_id), NoAccess(gpu(1).node_id)}),
            HSAKMT_STATUS_SUCCESS);
  std::vector<HSA_SVM_ATTRIBUTE> asked{Access(gpu(1).node_id)};
  ASSERT_EQ(Get(memory.All(), asked), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(asked[0].type, static_cast<HSAuint32>(HSA_SVM_ATTR_NO_ACCESS));
  asked = {Access(gpu(0).node_id)};
  ASSERT_EQ(Get(memory.All(), asked), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(asked[0].type, static_cast<HSAuint32>(HSA_SVM_ATTR_ACCESS_IN_PLACE));
}

}  // namespace kfdcts::suites
