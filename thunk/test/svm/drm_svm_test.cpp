// SVM attributes through DRM_AMDGPU_GEM_SVM (SVM-20), and where they differ from KFD's.
#include "thunk/src/svm/drm_svm.h"

#include <cerrno>
#include <string>
#include <tuple>

#include "thunk/test/svm/svm_fixture.h"

namespace kfdcts::thunk {
namespace {

FakeMachine WithDrmSvm(unsigned number, bool segments = false) {
  FakeMachine machine = MakeFakeMachine();
  machine.drm_svm_number = number;
  machine.drm_svm_segments = segments;
  return machine;
}

/// Both generations of GET: one merges in the kernel, the other leaves it to the thunk.
class DrmSvmTest : public SvmBackendTest, public testing::WithParamInterface<bool> {
 protected:
  DrmSvmTest() : SvmBackendTest(WithDrmSvm(0x1B, GetParam()), "drm") {}

  char* Page(std::size_t page) { return pages_ + page * kSvmPage; }
};

INSTANTIATE_TEST_SUITE_P(Svm, DrmSvmTest, testing::Bool(),
                         [](const auto& one) { return one.param ? "Segments" : "Merged"; });

TEST_P(DrmSvmTest, NeverAsksKfd) {
  kernel_.RestartCounts();
  ASSERT_EQ(Set({{HSA_SVM_ATTR_ACCESS, 1}}), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(AccessOf(1), HSAuint32{HSA_SVM_ATTR_ACCESS});
  EXPECT_EQ(kernel_.Calls(CallKind::kDrmIoctl), 2U);
  EXPECT_EQ(kernel_.Calls(KfdCall(AMDKFD_IOC_SVM)), 0U);
}

TEST_P(DrmSvmTest, DefaultsOfARangeWithoutAttributes) {
  EXPECT_EQ(Value(HSA_SVM_ATTR_PREFERRED_LOC), HSAuint32{INVALID_NODEID});
  EXPECT_EQ(Value(HSA_SVM_ATTR_PREFETCH_LOC), HSAuint32{INVALID_NODEID});
  EXPECT_EQ(Value(HSA_SVM_ATTR_SET_FLAGS), 3U);
  EXPECT_EQ(Value(HSA_SVM_ATTR_CLR_FLAGS), ~3U);
  EXPECT_EQ(Value(HSA_SVM_ATTR_GRANULARITY), 9U);
  EXPECT_EQ(AccessOf(1), HSAuint32{HSA_SVM_ATTR_ACCESS});
}

TEST_P(DrmSvmTest, AccessIsTranslatedBothWays) {
  for (const HSA_SVM_ATTR_TYPE type :
       {HSA_SVM_ATTR_ACCESS, HSA_SVM_ATTR_ACCESS_IN_PLACE, HSA_SVM_ATTR_NO_ACCESS}) {
    ASSERT_EQ(Set({{type, 2}}), HSAKMT_STATUS_SUCCESS);
    const HSA_SVM_ATTRIBUTE answer = Ask(HSA_SVM_ATTR_ACCESS, 2);
    EXPECT_EQ(answer.type, HSAuint32{type});
    EXPECT_EQ(answer.value, 2U);
  }
}

TEST_P(DrmSvmTest, LocationsAreTranslatedBothWays) {
  for (const HSA_SVM_ATTR_TYPE type : {HSA_SVM_ATTR_PREFERRED_LOC, HSA_SVM_ATTR_PREFETCH_LOC}) {
    ASSERT_EQ(Set({{type, 1}}), HSAKMT_STATUS_SUCCESS);
    EXPECT_EQ(Value(type), 1U);
    ASSERT_EQ(Set({{type, 0}}), HSAKMT_STATUS_SUCCESS);
    EXPECT_EQ(Value(type), 0U);
  }
  ASSERT_EQ(Set({{HSA_SVM_ATTR_PREFERRED_LOC, INVALID_NODEID}}), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Value(HSA_SVM_ATTR_PREFERRED_LOC), HSAuint32{INVALID_NODEID});
  EXPECT_EQ(Set({{HSA_SVM_ATTR_PREFETCH_LOC, INVALID_NODEID}}), HSAKMT_STATUS_INVALID_NODE_UNIT);
}

TEST_P(DrmSvmTest, EachFlagIsABoolean) {
  constexpr HSAuint32 kAll = 0xBF;  // all but GPU_ALWAYS_MAPPED
  for (HSAuint32 flag = 1; flag <= HSA_SVM_FLAG_EXT_COHERENT; flag <<= 1U) {
    ASSERT_EQ(Set({{HSA_SVM_ATTR_CLR_FLAGS, kAll}, {HSA_SVM_ATTR_SET_FLAGS, flag}}),
              HSAKMT_STATUS_SUCCESS);
    const HSAuint32 kept = flag & kAll;
    EXPECT_EQ(Value(HSA_SVM_ATTR_SET_FLAGS), kept) << flag;
    EXPECT_EQ(Value(HSA_SVM_ATTR_CLR_FLAGS), ~kept) << flag;
  }
}

TEST_P(DrmSvmTest, FlagsThatHaveNoBooleanChangeNothing) {
  EXPECT_EQ(Set({{HSA_SVM_ATTR_SET_FLAGS, HSA_SVM_FLAG_GPU_ALWAYS_MAPPED | 0x100}}),
            HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Set(Attributes{}), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(kernel_.Holdings().drm_svm_entries, 0U);
  EXPECT_EQ(Set(Unmapped(), kSvmPage, {}), HSAKMT_STATUS_ERROR);
}

TEST_P(DrmSvmTest, GpusHaveAttributesOfTheirOwn) {
  ASSERT_EQ(Set({{HSA_SVM_ATTR_NO_ACCESS, 1}}), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(AccessOf(1), HSAuint32{HSA_SVM_ATTR_NO_ACCESS});
  EXPECT_EQ(AccessOf(2), HSAuint32{HSA_SVM_ATTR_ACCESS});
}

TEST_P(DrmSvmTest, OneGpuACall) {
  EXPECT_EQ(Set({{HSA_SVM_ATTR_ACCESS, 1}, {HSA_SVM_ATTR_ACCESS, 2}}),
            HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Set({{HSA_SVM_ATTR_ACCESS, 1}, {HSA_SVM_ATTR_PREFETCH_LOC, 2}}),
            HSAKMT_STATUS_INVALID_PARAMETER);
  Attributes asked{{HSA_SVM_ATTR_ACCESS, 1}, {HSA_SVM_ATTR_ACCESS, 2}};
  EXPECT_EQ(Get(asked), HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Set({{HSA_SVM_ATTR_ACCESS, 2}, {HSA_SVM_ATTR_PREFERRED_LOC, 2}}),
            HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Set({{HSA_SVM_ATTR_ACCESS, 2}, {HSA_SVM_ATTR_PREFERRED_LOC, 0}}),
            HSAKMT_STATUS_SUCCESS);
}

TEST_P(DrmSvmTest, BadNodes) {
  EXPECT_EQ(Set({{HSA_SVM_ATTR_ACCESS, 0}}), HSAKMT_STATUS_INVALID_NODE_UNIT);
  EXPECT_EQ(Set({{HSA_SVM_ATTR_PREFERRED_LOC, 9}}), HSAKMT_STATUS_INVALID_NODE_UNIT);
  Attributes asked{{HSA_SVM_ATTR_ACCESS, 0}};
  EXPECT_EQ(Get(asked), HSAKMT_STATUS_INVALID_NODE_UNIT);
}

TEST_P(DrmSvmTest, SixtyFourAttributes) {
  const HSA_SVM_ATTRIBUTE granularity{HSA_SVM_ATTR_GRANULARITY, 5};
  EXPECT_EQ(Set(Attributes(64, granularity)), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Set(Attributes(65, granularity)), HSAKMT_STATUS_INVALID_PARAMETER);
  Attributes asked(64, granularity);
  EXPECT_EQ(Get(asked), HSAKMT_STATUS_SUCCESS);
  asked.push_back(granularity);
  EXPECT_EQ(Get(asked), HSAKMT_STATUS_INVALID_PARAMETER);
  // Each of seven flags is an attribute: nine times seven and one are as many as fit.
  Attributes flags(9, {HSA_SVM_ATTR_SET_FLAGS, ~0U});
  flags.push_back(granularity);
  EXPECT_EQ(Set(flags), HSAKMT_STATUS_SUCCESS);
  flags.push_back(granularity);
  EXPECT_EQ(Set(flags), HSAKMT_STATUS_INVALID_PARAMETER);
}

TEST_P(DrmSvmTest, BadRangesAndTypes) {
  const Attributes one{{HSA_SVM_ATTR_GRANULARITY, 9}};
  EXPECT_EQ(Set(nullptr, kSvmPage, one), HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Set(pages_, 0, one), HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Set(pages_ + 1, kSvmPage, one), HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Set({{8, 0}}), HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Set(Unmapped(), kSvmPage, one), HSAKMT_STATUS_ERROR);
}

TEST_P(DrmSvmTest, QuestionForOneKindOfAccessIsRefused) {
  for (const HSAuint32 type : {HSA_SVM_ATTR_ACCESS_IN_PLACE, HSA_SVM_ATTR_NO_ACCESS}) {
    Attributes asked{{HSA_SVM_ATTR_GRANULARITY, 77}, {type, 1}};
    EXPECT_EQ(Get(asked), HSAKMT_STATUS_ERROR);
    EXPECT_EQ(asked[0].value, 77U);
  }
}

TEST_P(DrmSvmTest, RangesMerge) {
  ASSERT_EQ(Set(Page(0), kSvmPage,
                {{HSA_SVM_ATTR_PREFERRED_LOC, 1},
                 {HSA_SVM_ATTR_PREFETCH_LOC, 1},
                 {HSA_SVM_ATTR_ACCESS, 1},
                 {HSA_SVM_ATTR_GRANULARITY, 4},
                 {HSA_SVM_ATTR_SET_FLAGS, HSA_SVM_FLAG_GPU_RO}}),
            HSAKMT_STATUS_SUCCESS);
  ASSERT_EQ(Set(Page(1), kSvmPage,
                {{HSA_SVM_ATTR_PREFERRED_LOC, 1},
                 {HSA_SVM_ATTR_PREFETCH_LOC, 0},
                 {HSA_SVM_ATTR_ACCESS_IN_PLACE, 1},
                 {HSA_SVM_ATTR_CLR_FLAGS, HSA_SVM_FLAG_COHERENT}}),
            HSAKMT_STATUS_SUCCESS);
  const auto ask = [&](HSA_SVM_ATTR_TYPE type) { return Ask(Page(0), 2 * kSvmPage, type, 1); };
  EXPECT_EQ(ask(HSA_SVM_ATTR_PREFERRED_LOC).value, 1U);
  EXPECT_EQ(ask(HSA_SVM_ATTR_PREFETCH_LOC).value, HSAuint32{INVALID_NODEID});
  EXPECT_EQ(ask(HSA_SVM_ATTR_ACCESS).type, HSAuint32{HSA_SVM_ATTR_NO_ACCESS});
  EXPECT_EQ(ask(HSA_SVM_ATTR_GRANULARITY).value, 4U);
  EXPECT_EQ(ask(HSA_SVM_ATTR_SET_FLAGS).value, HSAuint32{HSA_SVM_FLAG_HOST_ACCESS});
  EXPECT_EQ(ask(HSA_SVM_ATTR_CLR_FLAGS).value, ~HSAuint32{HSA_SVM_FLAG_HOST_ACCESS});
}

TEST_P(DrmSvmTest, HoleCountsWithItsDefaults) {
  ASSERT_EQ(Set(Page(2), kSvmPage, {{HSA_SVM_ATTR_PREFETCH_LOC, 1}}), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Value(HSA_SVM_ATTR_PREFETCH_LOC), HSAuint32{INVALID_NODEID});
  EXPECT_EQ(Ask(Page(2), kSvmPage, HSA_SVM_ATTR_PREFETCH_LOC).value, 1U);
}

TEST_P(DrmSvmTest, MismatchStaysOne) {
  // 1, 0, 1: the third agrees with the first, yet all do not.
  for (const auto& [page, node] : {std::pair{0U, 1U}, {1U, 0U}, {2U, 1U}}) {
    ASSERT_EQ(Set(Page(page), kSvmPage, {{HSA_SVM_ATTR_PREFERRED_LOC, node}}),
              HSAKMT_STATUS_SUCCESS);
  }
  EXPECT_EQ(Ask(Page(0), 3 * kSvmPage, HSA_SVM_ATTR_PREFERRED_LOC).value,
            HSAuint32{INVALID_NODEID});
}

TEST_P(DrmSvmTest, AttributesOutliveTheMappingUntilTheLastClose) {
  ASSERT_EQ(Set({{HSA_SVM_ATTR_GRANULARITY, 3}}), HSAKMT_STATUS_SUCCESS);
  ASSERT_EQ(mmap(pages_, kSvmSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
                 -1, 0),
            pages_);
  EXPECT_EQ(Value(HSA_SVM_ATTR_GRANULARITY), 3U);
  context_->ReleaseObjects();
  EXPECT_EQ(Value(HSA_SVM_ATTR_GRANULARITY), 9U);
}

TEST_P(DrmSvmTest, RefusedResetIsTriedAgain) {
  ASSERT_EQ(Set({{HSA_SVM_ATTR_GRANULARITY, 3}}), HSAKMT_STATUS_SUCCESS);
  kernel_.FailNthOf(CallKind::kDrmIoctl, 1, ENOMEM);
  context_->ReleaseObjects();
  EXPECT_EQ(Value(HSA_SVM_ATTR_GRANULARITY), 3U);
  context_->ReleaseObjects();
  EXPECT_EQ(Value(HSA_SVM_ATTR_GRANULARITY), 9U);
}

// PTR-22: memory that the look-up does not know is the first GPU's.
TEST_P(DrmSvmTest, CallThatNamesNoGpu) {
  ASSERT_EQ(Set({{HSA_SVM_ATTR_GRANULARITY, 3}}), HSAKMT_STATUS_SUCCESS);
  Attributes first{{HSA_SVM_ATTR_GRANULARITY, 0}, {HSA_SVM_ATTR_ACCESS, 1}};
  ASSERT_EQ(Get(first), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(first[0].value, 3U);
  Attributes second{{HSA_SVM_ATTR_GRANULARITY, 0}, {HSA_SVM_ATTR_ACCESS, 2}};
  ASSERT_EQ(Get(second), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(second[0].value, 9U);
}

// A buffer that no GPU has mapped does not hinder a range.
TEST_P(DrmSvmTest, CallThatNamesNoGpuGoesToTheMemorys) {
  HsaMemFlags flags{};
  flags.ui32.NonPaged = 1;
  for (const HSAuint32 node : {2U, 1U}) {
    void* vram = nullptr;
    ASSERT_EQ(context_->memory().Allocate(node, kSvmPage, 0, flags, &vram), HSAKMT_STATUS_SUCCESS);
    EXPECT_EQ(Set(vram, kSvmPage, {{HSA_SVM_ATTR_GRANULARITY, 3}}), HSAKMT_STATUS_SUCCESS);
    const FakeGpu& gpu = kernel_.machine().gpus[node - 1];
    EXPECT_EQ(kernel_.asked_minor, static_cast<int>(gpu.render_minor));
    EXPECT_EQ(context_->memory().Free(vram, kSvmPage), HSAKMT_STATUS_SUCCESS);
  }
}

TEST_P(DrmSvmTest, RegisteredMemoryIsAUserPointer) {
  ASSERT_EQ(context_->memory().Register(pages_, kSvmPage, std::nullopt, {}), HSAKMT_STATUS_SUCCESS);
  HsaPointerInfo info{};
  ASSERT_EQ(context_->memory().Query(pages_, &info), HSAKMT_STATUS_SUCCESS);
  const HSA_POINTER_TYPE type = info.Type;
  EXPECT_EQ(type, HSA_POINTER_REGISTERED_USER);
  EXPECT_EQ(context_->memory().Deregister(pages_), HSAKMT_STATUS_SUCCESS);
}

TEST_P(DrmSvmTest, FailingCallChangesNoAnswer) {
  for (const int error : {EINVAL, EFAULT, ENOMEM, EADDRINUSE, EOPNOTSUPP}) {
    kernel_.FailNthOf(CallKind::kDrmIoctl, 1, error);
    EXPECT_EQ(Set({{HSA_SVM_ATTR_GRANULARITY, 3}}), HSAKMT_STATUS_ERROR);
    kernel_.FailNthOf(CallKind::kDrmIoctl, 1, error);
    Attributes asked{{HSA_SVM_ATTR_GRANULARITY, 77}};
    EXPECT_EQ(Get(asked), HSAKMT_STATUS_ERROR);
    EXPECT_EQ(asked[0].value, 77U);
  }
  for (const int error : {EINTR, EAGAIN}) {
    kernel_.FailNthOf(CallKind::kDrmIoctl, 1, error);
    EXPECT_EQ(Set({{HSA_SVM_ATTR_GRANULARITY, 3}}), HSAKMT_STATUS_SUCCESS);
  }
}

struct ChoiceCase {
  const char* name;
  const char* option;
  unsigned number;
  bool xnack;
  bool drm;
};

class ChoiceTest : public SvmBackendTest, public testing::WithParamInterface<ChoiceCase> {
 protected:
  ChoiceTest() : SvmBackendTest(Machine(), GetParam().option) {}

 private:
  static FakeMachine Machine() {
    FakeMachine machine = WithDrmSvm(GetParam().number);
    for (FakeGpu& gpu : machine.gpus) gpu.xnack = GetParam().xnack;
    return machine;
  }
};

TEST_P(ChoiceTest, BackEnd) {
  kernel_.RestartCounts();
  EXPECT_EQ(Set({{HSA_SVM_ATTR_GRANULARITY, 3}}), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(kernel_.Calls(CallKind::kDrmIoctl), GetParam().drm ? 1U : 0U);
  EXPECT_EQ(kernel_.Calls(KfdCall(AMDKFD_IOC_SVM)), GetParam().drm ? 0U : 1U);
}

INSTANTIATE_TEST_SUITE_P(Svm, ChoiceTest,
                         testing::Values(ChoiceCase{"Newest", "drm", 0x1B, true, true},
                                         ChoiceCase{"Older", "drm", 0x1A, true, true},
                                         ChoiceCase{"NoSuchCall", "drm", 0, true, false},
                                         ChoiceCase{"XnackOff", "drm", 0x1B, false, false},
                                         ChoiceCase{"NotAskedFor", nullptr, 0x1B, true, false},
                                         ChoiceCase{"KfdAskedFor", "kfd", 0x1B, true, false}),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace kfdcts::thunk
