// Further contexts: what libhsakmt gets wrong about them (BUG-50), and that they are apart.
#include <gtest/gtest.h>

#include <cerrno>

#include "harness/uapi/kfd_compat.h"
#include "thunk/src/context/contexts.h"
#include "thunk/test/fake/fake_kernel.h"

namespace kfdcts::thunk {
namespace {

class SecondaryContextTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(contexts_.OpenPrimary(), HSAKMT_STATUS_SUCCESS); }

  HsaKFDContext* Open() {
    HsaKFDContext* handle = nullptr;
    EXPECT_EQ(contexts_.OpenSecondary(&handle), HSAKMT_STATUS_SUCCESS);
    return handle;
  }
  HSAKMT_STATUS Query(HsaKFDContext* handle, void* address) {
    return contexts_.With(handle, [address](Context& context) {
      HsaPointerInfo info{};
      return context.memory().Query(address, &info);
    });
  }

  FakeKernel kernel_;
  Contexts contexts_{kernel_};
};

TEST_F(SecondaryContextTest, NeedsThePrimary) {
  ASSERT_EQ(contexts_.ClosePrimary(), HSAKMT_STATUS_SUCCESS);
  HsaKFDContext* handle = nullptr;
  EXPECT_EQ(contexts_.OpenSecondary(&handle), HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
  EXPECT_EQ(handle, nullptr);
}

TEST_F(SecondaryContextTest, MemoryOfOneIsUnknownInTheOther) {
  HsaKFDContext* secondary = Open();
  void* address = nullptr;
  ASSERT_EQ(contexts_.With(secondary,
                           [&](Context& context) {
                             HsaMemFlags flags{};
                             flags.ui32.NonPaged = 1;
                             return context.memory().Allocate(1, 4096, 0, flags, &address);
                           }),
            HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Query(secondary, address), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Query(Contexts::PrimaryHandle(), address), HSAKMT_STATUS_ERROR);
  EXPECT_EQ(contexts_.CloseSecondary(secondary), HSAKMT_STATUS_SUCCESS);
}

TEST_F(SecondaryContextTest, ClosingGivesEverythingBack) {
  const FakeHoldings before = kernel_.Holdings();
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(contexts_.CloseSecondary(Open()), HSAKMT_STATUS_SUCCESS);
  }
  EXPECT_EQ(kernel_.Holdings(), before);
}

TEST_F(SecondaryContextTest, ClosedHandleIsRefused) {
  HsaKFDContext* secondary = Open();
  ASSERT_EQ(contexts_.CloseSecondary(secondary), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(contexts_.CloseSecondary(secondary), HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Query(secondary, &secondary), HSAKMT_STATUS_INVALID_PARAMETER);
}

struct Refusal {
  int error;
  HSAKMT_STATUS status;
};

class RefusedSecondaryTest : public SecondaryContextTest,
                             public testing::WithParamInterface<Refusal> {};

TEST_P(RefusedSecondaryTest, KernelWithoutThem) {
  const FakeHoldings before = kernel_.Holdings();
  kernel_.FailNthOf(KfdCall(AMDKFD_IOC_CREATE_PROCESS), 1, GetParam().error);
  HsaKFDContext* handle = nullptr;
  EXPECT_EQ(contexts_.OpenSecondary(&handle), GetParam().status);
  EXPECT_EQ(handle, nullptr);
  EXPECT_EQ(kernel_.Holdings(), before);
}

INSTANTIATE_TEST_SUITE_P(Errors, RefusedSecondaryTest,
                         testing::Values(Refusal{ENOTTY, HSAKMT_STATUS_NOT_SUPPORTED},
                                         Refusal{EINVAL, HSAKMT_STATUS_INVALID_PARAMETER},
                                         Refusal{ENOMEM, HSAKMT_STATUS_NO_MEMORY}));

TEST_F(SecondaryContextTest, MissingDeviceFile) {
  const FakeHoldings before = kernel_.Holdings();
  kernel_.FailNthOf(CallKind::kOpen, 1, EMFILE);
  HsaKFDContext* handle = nullptr;
  EXPECT_EQ(contexts_.OpenSecondary(&handle), HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
  EXPECT_EQ(handle, nullptr);
  EXPECT_EQ(kernel_.Holdings(), before);
}

}  // namespace
}  // namespace kfdcts::thunk
