#include <gtest/gtest.h>
#include <sys/mman.h>

#include <vector>

#include "thunk/src/context/context.h"
#include "thunk/src/kernel/page.h"
#include "thunk/test/fake/fake_kernel.h"

namespace kfdcts::thunk {
namespace {

using Attributes = std::vector<HSA_SVM_ATTRIBUTE>;

constexpr std::size_t kSize = 8 * 4096;

class SvmTest : public testing::Test {
 protected:
  void SetUp() override {
    auto render_nodes = std::make_shared<RenderNodes>(kernel_, true);
    ASSERT_EQ(Context::Open(kernel_, true, std::move(render_nodes), context_),
              HSAKMT_STATUS_SUCCESS);
    pages_ = mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(pages_, MAP_FAILED);
  }
  void TearDown() override { munmap(pages_, kSize); }

  HSAKMT_STATUS Set(const Attributes& attributes) { return Set(pages_, kSize, attributes); }
  HSAKMT_STATUS Set(void* start, std::uint64_t size, const Attributes& attributes) {
    return context_->svm().Set(start, size, attributes);
  }
  HSAKMT_STATUS Get(Attributes& attributes) {
    return context_->svm().Get(pages_, kSize, attributes);
  }

  FakeKernel kernel_;
  std::unique_ptr<Context> context_;
  void* pages_ = nullptr;
};

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
  auto* start = static_cast<char*>(pages_);
  const Attributes one{{HSA_SVM_ATTR_GRANULARITY, 9}};
  const auto half_a_page = PageSize() / 2;
  for (const std::uint64_t odd : {std::uint64_t{1}, half_a_page}) {
    EXPECT_EQ(Set(start + odd, kSize, one), HSAKMT_STATUS_INVALID_PARAMETER) << odd;
    EXPECT_EQ(Set(start, kSize - odd, one), HSAKMT_STATUS_INVALID_PARAMETER) << odd;
  }
  EXPECT_EQ(Set(start, 0, one), HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Set(nullptr, kSize, one), HSAKMT_STATUS_INVALID_PARAMETER);
}

TEST_F(SvmTest, AsManyAttributesAsTheCallHolds) {
  EXPECT_EQ(Set(Attributes(2044, {HSA_SVM_ATTR_GRANULARITY, 9})), HSAKMT_STATUS_SUCCESS);
  kernel_.RestartCounts();
  EXPECT_EQ(Set(Attributes(2045, {HSA_SVM_ATTR_GRANULARITY, 9})), HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(kernel_.Calls(), 0U);
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
