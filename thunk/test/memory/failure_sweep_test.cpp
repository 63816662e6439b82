// Each system call of each operation fails once, with each errno that the kernel can give: no
// crash, no hang, no half-made object, nothing left, and the operation can be done afterwards.
#include <cerrno>
#include <cstring>

#include "thunk/test/memory/scenarios.h"

namespace kfdcts::thunk {
namespace {

constexpr int kErrors[] = {EINVAL, ENOMEM, EPERM,  EBUSY,  ENODEV, EFAULT, EACCES,
                           EBADF,  ENOSPC, EEXIST, ENOTTY, EIO,    ESRCH,  EOPNOTSUPP};

class FailureSweep : public testing::TestWithParam<std::tuple<std::size_t, int>> {
 protected:
  static const Scenario& scenario() { return Scenarios()[std::get<0>(GetParam())]; }
  static int error() { return std::get<1>(GetParam()); }

  /// The operation with its nth call failing; true where it has so many.
  bool RunOnce(std::uint64_t n) {
    FakeKernel kernel;
    bool struck = false;
    {
      Connection connection(kernel, scenario().use_svm);
      Stage stage{kernel, connection.memory()};
      scenario().prepare(stage);
      const std::uint64_t objects = stage.memory.ObjectCount();
      kernel.FailNth(n, error());
      const HSAKMT_STATUS status = scenario().operate(stage);
      struck = kernel.LastFailed().has_value();
      kernel.RestartCounts();
      CheckStatus(status, stage, objects);
      if (status != HSAKMT_STATUS_SUCCESS) {
        EXPECT_EQ(scenario().operate(stage), HSAKMT_STATUS_SUCCESS) << "afterwards, call " << n;
      }
      if (stage.dmabuf >= 0) kernel.Close(stage.dmabuf);
    }
    EXPECT_EQ(kernel.Leftovers(), "") << "call " << n;
    return struck;
  }

  static void CheckStatus(HSAKMT_STATUS status, Stage& stage, std::uint64_t objects) {
    if (status == HSAKMT_STATUS_SUCCESS) return;
    EXPECT_EQ(stage.memory.ObjectCount(), objects) << "half an object stays, or was lost";
    EXPECT_EQ(stage.produced,
              scenario().name == std::string_view("DeregisterShared") ? stage.produced : nullptr);
    const bool exact = status == HSAKMT_STATUS_ERROR || status == HSAKMT_STATUS_NO_MEMORY ||
                       status == HSAKMT_STATUS_NOT_SUPPORTED ||
                       status == HSAKMT_STATUS_INVALID_HANDLE ||
                       (error() == EINVAL && status == HSAKMT_STATUS_INVALID_PARAMETER);
    EXPECT_TRUE(exact) << status;
  }
};

TEST_P(FailureSweep, LeavesNothingHalfMade) {
  std::uint64_t n = 1;
  while (RunOnce(n)) {
    if (HasFailure()) FAIL() << scenario().name << ", call " << n << ": " << strerror(error());
    ASSERT_LT(++n, 100U) << "never ends";
  }
  EXPECT_GT(n, 1U) << "makes no system call";
}

INSTANTIATE_TEST_SUITE_P(Memory, FailureSweep,
                         testing::Combine(testing::Range(std::size_t{0}, Scenarios().size()),
                                          testing::ValuesIn(kErrors)),
                         [](const auto& one) {
                           return std::string(Scenarios()[std::get<0>(one.param)].name) + "_" +
                                  strerrorname_np(std::get<1>(one.param));
                         });

}  // namespace
}  // namespace kfdcts::thunk
