// New ranges are cut at multiples of the largest size that the kernel gives a range.
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <system_error>

#include "suites/support/svm_test.h"

namespace kfdcts::suites {
namespace {

constexpr std::size_t kSmallestLimit = std::size_t{2} << 20U;
constexpr std::size_t kLargestLimit = std::size_t{1} << 30U;

/// Untouched memory of `size` bytes that starts at a multiple of 1 GiB.
class AlignedMemory {
 public:
  explicit AlignedMemory(std::size_t size) : bytes_(size + kLargestLimit) {
    void* const start = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
    start_ = static_cast<std::byte*>(start);
    const auto address = reinterpret_cast<std::uintptr_t>(start);
    aligned_ = start_ + (kLargestLimit - address % kLargestLimit) % kLargestLimit;
  }
  ~AlignedMemory() { munmap(start_, bytes_); }
  AlignedMemory(const AlignedMemory&) = delete;
  AlignedMemory& operator=(const AlignedMemory&) = delete;

  std::span<std::byte> At(std::size_t offset, std::size_t size) const {
    return {aligned_ + offset, size};
  }

 private:
  std::byte* start_;
  std::size_t bytes_;
  std::byte* aligned_;
};

class LargestRangeTest : public SvmTest {
 protected:
  std::size_t RangesOf(std::span<std::byte> pages) const {
    const std::size_t before = RangeCount();
    EXPECT_EQ(Set(pages, {}), HSAKMT_STATUS_SUCCESS);
    return RangeCount() - before;
  }

  /// The largest size of a range, in bytes, seen at an interval of 1 GiB.
  std::size_t Limit() const {
    const AlignedMemory memory(kLargestLimit);
    const std::size_t ranges = RangesOf(memory.At(0, kLargestLimit));
    EXPECT_TRUE(std::has_single_bit(ranges)) << ranges;
    return kLargestLimit / std::max<std::size_t>(ranges, 1);
  }
};

}  // namespace

// With XNACK off a range counts against a limit on system memory, which 1 GiB may exceed.
KFD_TEST_F(SVMRange, LargestRange, LargestRangeTest,
           .property =
               "the largest range is a power of two from 2 MiB to 1 GiB, smaller than a "
               "16th of every GPU's VRAM or the least of these",
           .rules = "SVM-5", .scope = Scope::kFirstGpu,
           .needs = {Capability::kSvm, Capability::kRangeCount}, .xnack = harness::Xnack::kOn) {
  const std::size_t limit = Limit();
  EXPECT_GE(limit, kSmallestLimit);
  EXPECT_LE(limit, kLargestLimit);
  for (const harness::GpuNode& gpu : system_gpus()) {
    EXPECT_LE(limit, std::max<std::size_t>(kSmallestLimit, gpu.facts.vram_bytes / 16))
        << "gpu" << gpu.ordinal;
  }
}

KFD_TEST_F(SVMRange, CutAtAbsoluteMultiples, LargestRangeTest,
           .property =
               "a new range is cut at multiples of the largest size by absolute address, "
               "not by the distance from the call's start",
           .rules = "SVM-5", .scope = Scope::kFirstGpu,
           .needs = {Capability::kSvm, Capability::kRangeCount}, .xnack = harness::Xnack::kOn) {
  const std::size_t limit = Limit();
  const std::size_t page = PageSize();
  const AlignedMemory memory(2 * kLargestLimit);
  EXPECT_EQ(RangesOf(memory.At(limit - page, 2 * page)), 2U);
  const AlignedMemory other(2 * kLargestLimit);
  EXPECT_EQ(RangesOf(other.At(limit - page, page + limit)), 2U);
  const AlignedMemory third(3 * kLargestLimit);
  EXPECT_EQ(RangesOf(third.At(limit - page, limit + 2 * page)), 3U);
  const AlignedMemory fourth(kLargestLimit);
  EXPECT_EQ(RangesOf(fourth.At(0, limit)), 1U);
}

// Golden rule 14: existing ranges are never cut again, and each hole is cut by itself.
KFD_TEST_F(SVMRange, HolesAreCutApart, LargestRangeTest,
           .property =
               "a hole that holds a multiple of the largest size is cut there; a range "
               "over another such multiple that exists already is left whole",
           .rules = "SVM-5", .scope = Scope::kFirstGpu,
           .needs = {Capability::kSvm, Capability::kRangeCount}, .xnack = harness::Xnack::kOn) {
  const std::size_t limit = Limit();
  const std::size_t page = PageSize();
  const AlignedMemory memory(3 * kLargestLimit);
  ASSERT_EQ(RangesOf(memory.At(page, 2 * page)), 1U);
  ASSERT_EQ(RangesOf(memory.At(limit - page, 3 * page)), 2U);
  // What is left: [0, 1), [3, limit − 1) and [limit + 2, 2 limit + 1), the last one cut in two.
  EXPECT_EQ(RangesOf(memory.At(0, 2 * limit + page)), 4U);
}

KFD_TEST_F(SVMRange, CutRangesAreOne, LargestRangeTest,
           .property = "that a set was cut into several ranges shows in no answer",
           .rules = "SVM-5 SVM-7", .scope = Scope::kFirstGpu,
           .needs = {Capability::kSvm, Capability::kRangeCount}, .xnack = harness::Xnack::kOn) {
  const std::size_t limit = Limit();
  const AlignedMemory memory(2 * kLargestLimit);
  const auto pages = memory.At(limit / 2, limit);
  ASSERT_EQ(Set(pages, {Granularity(5), Preferred(cpu_node())}), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(StateOf(pages), Defaults().WithGranularity(5).WithPreferred(cpu_node()));
  EXPECT_EQ(StateOf(memory.At(limit - PageSize(), 2 * PageSize())),
            Defaults().WithGranularity(5).WithPreferred(cpu_node()));
}

}  // namespace kfdcts::suites
