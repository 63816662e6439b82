#include <gtest/gtest.h>

#include <vector>

#include "thunk/test/fake/fake_process.h"

namespace kfdcts::thunk {
namespace {

constexpr std::uint64_t kStart = 0x100000;
constexpr std::uint32_t kUndefined = KFD_IOCTL_SVM_LOCATION_UNDEFINED;
using Attribute = kfd_ioctl_svm_attribute;

class FakeSvmTest : public testing::Test {
 protected:
  void Set(std::uint64_t page, std::uint64_t pages, Attribute attribute) {
    svm_.Set(kStart + page * kFakePage, pages * kFakePage, 1, false, &attribute);
  }
  Attribute Get(std::uint64_t page, std::uint64_t pages, Attribute attribute) {
    EXPECT_EQ(svm_.Get(kStart + page * kFakePage, pages * kFakePage, 1, false, &attribute), 0);
    return attribute;
  }
  std::uint32_t Prefetch(std::uint64_t page, std::uint64_t pages) {
    return Get(page, pages, {KFD_IOCTL_SVM_ATTR_PREFETCH_LOC, 0}).value;
  }
  std::uint32_t Access(std::uint64_t page, std::uint64_t pages) {
    return Get(page, pages, {KFD_IOCTL_SVM_ATTR_ACCESS, gpu_}).type;
  }

  FakeMachine machine_ = MakeFakeMachine();
  FakeSvm svm_{machine_};
  std::uint32_t gpu_ = machine_.gpus[0].gpu_id;
};

TEST_F(FakeSvmTest, DefaultsWithoutARange) {
  EXPECT_EQ(Prefetch(0, 4), kUndefined);
  EXPECT_EQ(Get(0, 4, {KFD_IOCTL_SVM_ATTR_SET_FLAGS, 0}).value, 3u);
  EXPECT_EQ(Get(0, 4, {KFD_IOCTL_SVM_ATTR_CLR_FLAGS, 0}).value, ~3u);
  EXPECT_EQ(Get(0, 4, {KFD_IOCTL_SVM_ATTR_GRANULARITY, 0}).value, 9u);
  EXPECT_EQ(Access(0, 4), KFD_IOCTL_SVM_ATTR_NO_ACCESS);
}

TEST_F(FakeSvmTest, HalfOfARangeIsSplitOff) {
  Set(0, 4, {KFD_IOCTL_SVM_ATTR_ACCESS, gpu_});
  Set(0, 2, {KFD_IOCTL_SVM_ATTR_PREFETCH_LOC, gpu_});
  EXPECT_EQ(Prefetch(0, 2), gpu_);
  EXPECT_EQ(Prefetch(2, 2), kUndefined);
  EXPECT_EQ(Prefetch(0, 4), kUndefined);
  EXPECT_EQ(Access(0, 4), KFD_IOCTL_SVM_ATTR_ACCESS);
}

TEST_F(FakeSvmTest, HolesAreLeftOutAndFilled) {
  Set(1, 1, {KFD_IOCTL_SVM_ATTR_PREFETCH_LOC, gpu_});
  EXPECT_EQ(Prefetch(0, 4), gpu_);
  Set(0, 4, {KFD_IOCTL_SVM_ATTR_ACCESS, gpu_});
  EXPECT_EQ(Prefetch(0, 4), kUndefined);
  EXPECT_EQ(Access(0, 4), KFD_IOCTL_SVM_ATTR_ACCESS);
}

TEST_F(FakeSvmTest, MixedAccessIsNone) {
  Set(0, 1, {KFD_IOCTL_SVM_ATTR_ACCESS, gpu_});
  Set(1, 1, {KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE, gpu_});
  EXPECT_EQ(Access(1, 1), KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE);
  EXPECT_EQ(Access(0, 2), KFD_IOCTL_SVM_ATTR_NO_ACCESS);
}

TEST_F(FakeSvmTest, UnmappedPagesAreForgotten) {
  Set(0, 4, {KFD_IOCTL_SVM_ATTR_ACCESS, gpu_});
  svm_.Forget(kStart + kFakePage, kStart + 2 * kFakePage);
  EXPECT_EQ(Access(1, 1), KFD_IOCTL_SVM_ATTR_NO_ACCESS);
  EXPECT_EQ(Access(2, 2), KFD_IOCTL_SVM_ATTR_ACCESS);
  EXPECT_TRUE(svm_.Overlaps(kStart, kStart + 1));
  EXPECT_FALSE(svm_.Overlaps(kStart + kFakePage, kStart + 2 * kFakePage));
}

TEST_F(FakeSvmTest, BadAttributesAreRefused) {
  const std::vector<Attribute> bad{
      {99, 0}, {KFD_IOCTL_SVM_ATTR_ACCESS, 1}, {KFD_IOCTL_SVM_ATTR_PREFETCH_LOC, kUndefined}};
  for (const Attribute& attribute : bad) EXPECT_NE(svm_.Check(1, &attribute), 0);
  const Attribute good{KFD_IOCTL_SVM_ATTR_PREFERRED_LOC, kUndefined};
  EXPECT_EQ(svm_.Check(1, &good), 0);
}

}  // namespace
}  // namespace kfdcts::thunk
