#include "thunk/src/context/contexts.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <thread>

#include "thunk/test/fake/fake_kernel.h"

namespace kfdcts::thunk {
namespace {

class ContextsTest : public testing::Test {
 protected:
  HSAKMT_STATUS Try(HsaKFDContext* handle) {
    return contexts_.With(handle, [](Context&) { return HSAKMT_STATUS_SUCCESS; });
  }
  HSAKMT_STATUS TryPrimary() { return Try(Contexts::PrimaryHandle()); }

  FakeKernel kernel_;
  Contexts contexts_{kernel_};
};

TEST_F(ContextsTest, NothingIsOpenAtFirst) {
  EXPECT_EQ(TryPrimary(), HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
  EXPECT_EQ(contexts_.ClosePrimary(), HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
}

TEST_F(ContextsTest, OpensCount) {
  EXPECT_EQ(contexts_.OpenPrimary(), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(contexts_.OpenPrimary(), HSAKMT_STATUS_KERNEL_ALREADY_OPENED);
  EXPECT_EQ(contexts_.ClosePrimary(), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(TryPrimary(), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(contexts_.ClosePrimary(), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(TryPrimary(), HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
  EXPECT_EQ(contexts_.ClosePrimary(), HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
}

TEST_F(ContextsTest, OpenAfterCloseUsesTheSameFiles) {
  for (int i = 0; i < 50; ++i) {
    ASSERT_EQ(contexts_.OpenPrimary(), HSAKMT_STATUS_SUCCESS);
    ASSERT_EQ(contexts_.ClosePrimary(), HSAKMT_STATUS_SUCCESS);
  }
  const FakeHoldings holdings = kernel_.Holdings();
  EXPECT_EQ(holdings.kfd_files, 1U);
  EXPECT_EQ(holdings.drm_devices, 2U);
}

TEST_F(ContextsTest, MissingDeviceFile) {
  kernel_.FailNthOf(CallKind::kOpen, 1, ENOENT);
  EXPECT_EQ(contexts_.OpenPrimary(), HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
  EXPECT_EQ(contexts_.OpenPrimary(), HSAKMT_STATUS_SUCCESS);
}

TEST_F(ContextsTest, NullAndUnknownHandlesAreRefused) {
  ASSERT_EQ(contexts_.OpenPrimary(), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Try(nullptr), HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Try(reinterpret_cast<HsaKFDContext*>(this)), HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(contexts_.CloseSecondary(nullptr), HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(contexts_.CloseSecondary(Contexts::PrimaryHandle()), HSAKMT_STATUS_INVALID_PARAMETER);
}

TEST_F(ContextsTest, FailedOpenLeavesNothing) {
  kernel_.RestartCounts();
  ASSERT_EQ(contexts_.OpenPrimary(), HSAKMT_STATUS_SUCCESS);
  const std::uint64_t calls = kernel_.Calls();
  for (std::uint64_t n = 1; n <= calls; ++n) {
    FakeKernel kernel;
    {
      Contexts contexts(kernel);
      kernel.FailNth(n, EIO);
      const HSAKMT_STATUS status = contexts.OpenPrimary();
      if (status != HSAKMT_STATUS_SUCCESS) {
        EXPECT_EQ(kernel.Holdings().kfd_files, 0U) << "call " << n;
        EXPECT_EQ(kernel.Leftovers(true), "") << "call " << n;
      }
      EXPECT_TRUE(status == HSAKMT_STATUS_SUCCESS || status == HSAKMT_STATUS_ERROR ||
                  (n == 1 && status == HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED))
          << "call " << n << ": " << status;
      if (status != HSAKMT_STATUS_SUCCESS) {
        EXPECT_EQ(contexts.OpenPrimary(), HSAKMT_STATUS_SUCCESS) << "call " << n;
      }
    }
    EXPECT_EQ(kernel.Leftovers(), "") << "call " << n;
  }
}

TEST_F(ContextsTest, ReadersGoOnWhileOthersOpenAndClose) {
  ASSERT_EQ(contexts_.OpenPrimary(), HSAKMT_STATUS_SUCCESS);
  std::atomic<bool> stop = false;
  std::thread reader([&] {
    while (!stop) {
      EXPECT_EQ(TryPrimary(), HSAKMT_STATUS_SUCCESS);
    }
  });
  for (int i = 0; i < 200; ++i) {
    EXPECT_EQ(contexts_.OpenPrimary(), HSAKMT_STATUS_KERNEL_ALREADY_OPENED);
    EXPECT_EQ(contexts_.ClosePrimary(), HSAKMT_STATUS_SUCCESS);
  }
  stop = true;
  reader.join();
}

TEST_F(ContextsTest, QuestionsGoOnWhileOthersOpenAndClose) {
  std::atomic<bool> stop = false;
  std::thread reader([&] {
    while (!stop) {
      HsaPointerInfo info{};
      const HSAKMT_STATUS status = contexts_.Ask(Contexts::PrimaryHandle(), [&](Context& context) {
        return context.memory().Query(this, &info);
      });
      EXPECT_TRUE(status == HSAKMT_STATUS_ERROR ||
                  status == HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED)
          << status;
    }
  });
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(contexts_.OpenPrimary(), HSAKMT_STATUS_SUCCESS);
    EXPECT_EQ(contexts_.ClosePrimary(), HSAKMT_STATUS_SUCCESS);
  }
  stop = true;
  reader.join();
}

TEST_F(ContextsTest, ForkedChildStartsWithNothingOpen) {
  ASSERT_EQ(contexts_.OpenPrimary(), HSAKMT_STATUS_SUCCESS);
  contexts_.BeforeFork();
  const pid_t child = fork();
  if (child == 0) {
    contexts_.AfterForkInChild();
    const auto ask = [](Context&) { return HSAKMT_STATUS_SUCCESS; };
    const bool closed = TryPrimary() == HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED &&
                        contexts_.Ask(Contexts::PrimaryHandle(), ask) ==
                            HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED &&
                        contexts_.ClosePrimary() == HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
    const bool opened =
        contexts_.OpenPrimary() == HSAKMT_STATUS_SUCCESS && TryPrimary() == HSAKMT_STATUS_SUCCESS;
    const bool one_file = kernel_.Holdings().kfd_files == 1;
    _exit((closed ? 0 : 1) + (opened ? 0 : 2) + (one_file ? 0 : 4));
  }
  contexts_.AfterForkInParent();
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(TryPrimary(), HSAKMT_STATUS_SUCCESS);
}

}  // namespace
}  // namespace kfdcts::thunk
