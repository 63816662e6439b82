#include "thunk/test/memory/memory_fixture.h"

namespace kfdcts::thunk {
namespace {

class ScratchTest : public MemoryTest {
 protected:
  static HsaMemFlags Flags() {
    HsaMemFlags flags{};
    flags.ui32.Scratch = 1;
    return flags;
  }
};

TEST_F(ScratchTest, MemoryComesWithTheMapping) {
  auto* const start = static_cast<std::byte*>(Allocate(1, 1 << 20, Flags()));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(start) % (64 << 10), 0U);
  EXPECT_EQ(kernel_.Holdings().buffers, 0U);
  EXPECT_FALSE(Known(start));
  HSAuint64 gpu_address = 0;
  const auto map = [&](std::size_t offset, std::size_t size) {
    return memory().Map(start + offset, size, std::nullopt, &gpu_address);
  };
  EXPECT_EQ(map(0, 2 * kPage), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(map(4 * kPage, kPage), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(kernel_.Holdings().gpu_mappings, 2U);
  EXPECT_FALSE(Known(start + kPage));
  EXPECT_EQ(map(kPage, kPage), HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(map((1 << 20) - kPage, 2 * kPage), HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(memory().Unmap(start), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(memory().Unmap(start), HSAKMT_STATUS_ERROR);
  EXPECT_EQ(memory().Free(start, 1 << 20), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(kernel_.Holdings().buffers, 0U);
  EXPECT_EQ(kernel_.Holdings().mapped_bytes, 0U);
}

TEST_F(ScratchTest, OneForEachGpu) {
  void* address = nullptr;
  void* const first = Allocate(1, 1 << 16, Flags());
  void* const second = Allocate(2, 1 << 16, Flags());
  EXPECT_EQ(memory().Allocate(1, 1 << 16, 0, Flags(), &address), HSAKMT_STATUS_NO_MEMORY);
  EXPECT_EQ(memory().Allocate(0, 1 << 16, 0, Flags(), &address), HSAKMT_STATUS_NO_MEMORY);
  EXPECT_EQ(memory().Allocate(2, 1 << 16, 1 << 16, Flags(), &address),
            HSAKMT_STATUS_NOT_IMPLEMENTED);
  EXPECT_EQ(memory().Free(first, 1 << 16), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(memory().Allocate(1, 1 << 16, 0, Flags(), &address), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(memory().Free(second, 1 << 16), HSAKMT_STATUS_SUCCESS);
}

}  // namespace
}  // namespace kfdcts::thunk
