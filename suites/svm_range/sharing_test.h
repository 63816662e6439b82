#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "harness/gpu/memory.h"
#include "suites/support/done.h"
#include "suites/support/svm_test.h"

namespace kfdcts::suites {

/// Where the data is when a test of two sides begins.
enum class Placement {
  kSystem,  ///< The GPU reaches it in place.
  kVram,    ///< Prefetched to the GPU.
};

struct PlacementCase {
  std::string_view name;
  Placement placement;
};
inline constexpr PlacementCase kPlacements[] = {{"system", Placement::kSystem},
                                                {"vram", Placement::kVram}};

/// Fixture of tests about what GPU and CPU make of one range.
class SharingTest : public SvmTest {
 protected:
  /// Fills the memory with the pattern of `seed` and gives it to the test's first GPU.
  void Share(const SvmMemory& memory, Placement placement, std::uint32_t seed) {
    memory.FillPattern(seed);
    const HSAuint32 node = gpu().node_id;
    ASSERT_EQ(Set(memory.All(), placement == Placement::kVram
                                    ? std::vector{Access(node), Prefetch(node)}
                                    : std::vector{AccessInPlace(node), Prefetch(cpu_node())}),
              HSAKMT_STATUS_SUCCESS);
  }

  std::vector<std::byte> ReadByGpu(std::span<const std::byte> pages, std::size_t gpu_index = 0) {
    std::vector<std::byte> seen(pages.size());
    EXPECT_TRUE(Done(Work(gpu_index).Read(pages.data(), seen)));
    return seen;
  }

  /// The GPU reads the whole pattern, as SvmMemory::ExpectPattern does for the CPU.
  void ExpectGpuSees(const SvmMemory& memory, std::uint32_t seed, std::size_t gpu_index = 0) {
    const auto seen = ReadByGpu(memory.All(), gpu_index);
    const std::size_t wrong = gpu::FirstMismatch(seen, seed);
    EXPECT_EQ(wrong, seen.size()) << "the GPU reads other data from page " << wrong / PageSize();
  }

  /// The GPU reads nothing but zeroes.
  void ExpectGpuSeesZero(std::span<const std::byte> pages) {
    ExpectZero(ReadByGpu(pages), "the GPU");
  }

  static void ExpectZero(std::span<const std::byte> bytes, std::string_view reader) {
    const auto wrong = std::find_if(bytes.begin(), bytes.end(),
                                    [](std::byte value) { return value != std::byte{0}; });
    const auto offset = static_cast<std::size_t>(wrong - bytes.begin());
    EXPECT_EQ(offset, bytes.size()) << reader << " reads no zero in page " << offset / PageSize();
  }

  /// What either side writes from now on the other one reads. Overwrites the first words of two
  /// pages.
  void ExpectOneMemory(const SvmMemory& memory, std::size_t cpu_page, std::size_t gpu_page) {
    std::uint32_t seen = 0;
    gpu::StoreRelease(memory.Word(cpu_page), 0xC0DE0001U);
    EXPECT_TRUE(Done(Work().Read(memory.Word(cpu_page), seen)));
    EXPECT_EQ(seen, 0xC0DE0001U) << "written by the CPU, read by the GPU";
    EXPECT_TRUE(Done(Work().Write(memory.Word(gpu_page), 0xC0DE0002U)));
    EXPECT_EQ(gpu::LoadAcquire(memory.Word(gpu_page)), 0xC0DE0002U)
        << "written by the GPU, read by the CPU";
  }
};

}  // namespace kfdcts::suites
