// Each allocation of each operation fails once: std::bad_alloc leaves with everything undone.
#include <new>

#include "thunk/test/memory/rich_kernel.h"
#include "thunk/test/memory/scenarios.h"

namespace kfdcts::thunk {
namespace {

class LackOfMemory : public testing::TestWithParam<std::size_t> {
 protected:
  static const Scenario& scenario() { return Scenarios()[GetParam()]; }

  /// As the API layer does.
  static HSAKMT_STATUS Operate(Stage& stage) {
    try {
      return scenario().operate(stage);
    } catch (const std::bad_alloc&) {
      return HSAKMT_STATUS_NO_MEMORY;
    }
  }

  /// The operation with its nth allocation failing; true where it has so many.
  static bool RunOnce(long n) {
    RichKernel kernel;
    bool struck = false;
    {
      Connection connection(kernel, scenario().use_svm);
      Stage stage{kernel, connection.memory()};
      scenario().prepare(stage);
      const std::uint64_t objects = stage.memory.ObjectCount();
      failing_allocations.failed = false;
      failing_allocations.left = n;
      const HSAKMT_STATUS status = Operate(stage);
      failing_allocations.left = -1;
      struck = failing_allocations.failed;
      if (status != HSAKMT_STATUS_SUCCESS) {
        EXPECT_EQ(status, HSAKMT_STATUS_NO_MEMORY);
        EXPECT_EQ(stage.memory.ObjectCount(), objects);
        EXPECT_EQ(Operate(stage), HSAKMT_STATUS_SUCCESS) << "afterwards, allocation " << n;
      }
      if (stage.dmabuf >= 0) kernel.Close(stage.dmabuf);
    }
    EXPECT_EQ(kernel.Leftovers(), "") << "allocation " << n;
    return struck;
  }
};

TEST_P(LackOfMemory, LeavesNothingHalfMade) {
  for (long n = 0; RunOnce(n); ++n) {
    if (HasFailure()) FAIL() << scenario().name << ", allocation " << n;
    ASSERT_LT(n, 100) << "never ends";
  }
}

INSTANTIATE_TEST_SUITE_P(Memory, LackOfMemory, testing::Range(std::size_t{0}, Scenarios().size()),
                         [](const auto& one) { return Scenarios()[one.param].name; });

}  // namespace
}  // namespace kfdcts::thunk
