// hsaKmtRegisterMemory beside ranges of the application's own: registering plain memory may go by
// SVM, and must leave the neighbours alone.
#include <cstring>

#include "suites/svm_range/sharing_test.h"

namespace kfdcts::suites {
namespace {

constexpr std::size_t kPages = 8;

struct SizeCase {
  std::string_view name;
  std::size_t offset;  ///< Bytes from the start of page 3.
  std::size_t pages;
  std::size_t bytes;  ///< Besides.
};

constexpr SizeCase kSizes[] = {
    {"sixteen_bytes", 0, 0, 16}, {"inside_page", 64, 0, 128},    {"one_page", 0, 1, 0},
    {"two_pages", 0, 2, 0},      {"over_a_page_edge", 64, 1, 0},
};

class RegistrationTest : public SharingTest {
 protected:
  /// Registers, lets the GPU write there by the address that the thunk mapped, and deregisters.
  void UseOnce(std::byte* start, std::size_t size, std::uint32_t value) {
    Registration registration(thunk(), start, size);
    HSAuint64 mapped = 0;
    Check("hsaKmtMapMemoryToGPU", thunk().hsaKmtMapMemoryToGPU(start, size, &mapped));
    auto* const at_gpu = mapped == 0 ? start : reinterpret_cast<std::byte*>(mapped);
    EXPECT_TRUE(Done(Work().Write(at_gpu, value)));
    EXPECT_EQ(gpu::LoadAcquire(reinterpret_cast<const std::uint32_t*>(start)), value);
    thunk().hsaKmtUnmapMemoryToGPU(start);
    EXPECT_EQ(registration.Deregister(), HSAKMT_STATUS_SUCCESS);
  }
};

}  // namespace

KFD_TEST_CASES_F(SVMRange, RegisteredAgain, RegistrationTest, kSizes,
                 .property =
                     "memory is registered, used by the GPU, deregistered and registered "
                     "again, as part and as a whole, and works each time",
                 .rules = "SVM-17", .guards = "BUG-14", .needs = {Capability::kSvm},
                 .process = Process::kFresh) {
  const SvmMemory memory(kPages);
  memory.FillPattern(1);
  std::byte* const start = memory.Pages(3).data() + param().offset;
  const std::size_t size = param().pages * PageSize() + param().bytes;
  UseOnce(start, size, 0x11);
  UseOnce(memory.Pages(3).data(), 2 * PageSize(), 0x22);
  UseOnce(start, size, 0x33);
  memory.ExpectPattern(1, 0, 3);
  memory.ExpectPattern(1, 5, 3);
}

KFD_TEST_CASES_F(SVMRange, RegistrationSparesNeighbours, RegistrationTest, kSizes,
                 .property =
                     "registering and deregistering memory leaves the attributes of the "
                     "pages beside it, and the GPU's access to them, as they were",
                 .rules = "SVM-17 SVM-5", .guards = "BUG-14", .needs = {Capability::kSvm},
                 .process = Process::kFresh) {
  const SvmMemory memory(kPages);
  memory.FillPattern(1);
  const std::vector attributes{AccessInPlace(gpu().node_id), Granularity(4)};
  ASSERT_EQ(Set(memory.Pages(0, 3), attributes), HSAKMT_STATUS_SUCCESS);
  ASSERT_EQ(Set(memory.Pages(5, 3), attributes), HSAKMT_STATUS_SUCCESS);
  const SvmState own = StateOf(memory.Pages(0, 3));
  UseOnce(memory.Pages(3).data() + param().offset, param().pages * PageSize() + param().bytes, 7);
  EXPECT_EQ(StateOf(memory.Pages(0, 3)), own);
  EXPECT_EQ(StateOf(memory.Pages(5, 3)), own);
  for (const std::size_t page : {2U, 5U}) {
    std::vector<std::byte> seen(PageSize());
    ASSERT_TRUE(Done(Work().Read(memory.Word(page), seen)));
    EXPECT_EQ(std::memcmp(seen.data(), memory.Word(page), seen.size()), 0) << "page " << page;
  }
}

}  // namespace kfdcts::suites
