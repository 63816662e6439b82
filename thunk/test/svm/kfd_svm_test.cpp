#include <cerrno>

#include "thunk/src/kernel/page.h"
#include "thunk/test/svm/svm_fixture.h"

namespace kfdcts::thunk {
namespace {

class SvmTest : public SvmBackendTest {};

TEST_F(SvmTest, NodesAreTranslatedBothWays) {
  ASSERT_EQ(Set({{HSA_SVM_ATTR_PREFERRED_LOC, 2}, {HSA_SVM_ATTR_ACCESS, 1}}),
            HSAKMT_STATUS_SUCCESS);
  Attributes answer{{HSA_SVM_ATTR_PREFERRED_LOC, 0}, {HSA_SVM_ATTR_ACCESS, 1}};
  ASSERT_EQ(Get(answer), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(answer[0].value, 2U);
  EXPECT_EQ(answer[1].type, HSAuint32{HSA_SVM_ATTR_ACCESS});
  EXPECT_EQ(answer[1].value, 1U);
}

TEST_F(SvmTest, UndefinedAndSystemLocations) {
  Attributes answer{{HSA_SVM_ATTR_PREFERRED_LOC, 0}};
  ASSERT_EQ(Get(answer), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(answer[0].value, INVALID_NODEID);
  ASSERT_EQ(Set({{HSA_SVM_ATTR_PREFERRED_LOC, 0}}), HSAKMT_STATUS_SUCCESS);
  ASSERT_EQ(Get(answer), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(answer[0].value, 0U);
  ASSERT_EQ(Set({{HSA_SVM_ATTR_PREFERRED_LOC, INVALID_NODEID}}), HSAKMT_STATUS_SUCCESS);
  ASSERT_EQ(Get(answer), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(answer[0].value, INVALID_NODEID);
}

TEST_F(SvmTest, NodesThatAreNone) {
  EXPECT_EQ(Set({{HSA_SVM_ATTR_PREFETCH_LOC, INVALID_NODEID}}), HSAKMT_STATUS_INVALID_NODE_UNIT);
  EXPECT_EQ(Set({{HSA_SVM_ATTR_PREFERRED_LOC, 9}}), HSAKMT_STATUS_INVALID_NODE_UNIT);
  for (const HSAuint32 access :
       {HSA_SVM_ATTR_ACCESS, HSA_SVM_ATTR_ACCESS_IN_PLACE, HSA_SVM_ATTR_NO_ACCESS}) {
    EXPECT_EQ(Set({{access, 0}}), HSAKMT_STATUS_INVALID_NODE_UNIT) << access;
    Attributes asked{{access, 0}};
    EXPECT_EQ(Get(asked), HSAKMT_STATUS_INVALID_NODE_UNIT) << access;
  }
}

TEST_F(SvmTest, Alignment) {
  char* const start = pages_;
  const Attributes one{{HSA_SVM_ATTR_GRANULARITY, 9}};
  const auto half_a_page = PageSize() / 2;
  for (const std::uint64_t odd : {std::uint64_t{1}, half_a_page}) {
    EXPECT_EQ(Set(start + odd, kSvmSize, one), HSAKMT_STATUS_INVALID_PARAMETER) << odd;
    EXPECT_EQ(Set(start, kSvmSize - odd, one), HSAKMT_STATUS_INVALID_PARAMETER) << odd;
  }
  EXPECT_EQ(Set(start, 0, one), HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Set(nullptr, kSvmSize, one), HSAKMT_STATUS_INVALID_PARAMETER);
}

TEST_F(SvmTest, AsManyAttributesAsTheCallHolds) {
  EXPECT_EQ(Set(Attributes(2044, {HSA_SVM_ATTR_GRANULARITY, 9})), HSAKMT_STATUS_SUCCESS);
  kernel_.RestartCounts();
  EXPECT_EQ(Set(Attributes(2045, {HSA_SVM_ATTR_GRANULARITY, 9})), HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(kernel_.Calls(), 0U);
}

TEST_F(SvmTest, InterruptedCallIsRepeated) {
  for (const int error : {EINTR, EAGAIN}) {
    kernel_.FailNthOf(KfdCall(AMDKFD_IOC_SVM), 1, error);
    EXPECT_EQ(Set({{HSA_SVM_ATTR_GRANULARITY, 5}}), HSAKMT_STATUS_SUCCESS);
    EXPECT_EQ(kernel_.Calls(KfdCall(AMDKFD_IOC_SVM)), 2U);
  }
}

TEST_F(SvmTest, RefusedQuestionChangesNothing) {
  Attributes asked{{HSA_SVM_ATTR_GRANULARITY, 77}, {HSA_SVM_ATTR_ACCESS, 1}};
  kernel_.FailNthOf(KfdCall(AMDKFD_IOC_SVM), 1, EFAULT);
  EXPECT_EQ(Get(asked), HSAKMT_STATUS_ERROR);
  EXPECT_EQ(asked[0].value, 77U);
  EXPECT_EQ(asked[1].type, HSAuint32{HSA_SVM_ATTR_ACCESS});
}

}  // namespace
}  // namespace kfdcts::thunk
