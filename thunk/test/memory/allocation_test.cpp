#include <sys/mman.h>

#include <cstring>

#include "thunk/test/memory/memory_fixture.h"

namespace kfdcts::thunk {
namespace {

class AllocationTest : public MemoryTest {};

struct KindCase {
  const char* name;
  HSAuint32 node;
  HsaMemFlags (*flags)();
};
const KindCase kKinds[] = {{"private_vram", 1, PrivateVram},
                           {"visible_vram", 2, VisibleVram},
                           {"gtt", 0, Gtt},
                           {"paged", 0, Paged}};

class AllocationKinds : public MemoryTest, public testing::WithParamInterface<KindCase> {};

TEST_P(AllocationKinds, AllocateMapQueryFree) {
  const HsaMemFlags flags = GetParam().flags();
  auto* const start = static_cast<std::byte*>(Allocate(GetParam().node, 3 * kPage, flags));
  HsaPointerInfo info = Query(start + 3 * kPage - 1);
  EXPECT_EQ(info.Type, HSA_POINTER_ALLOCATED);
  EXPECT_EQ(HSAuint32{info.Node}, GetParam().node);
  EXPECT_EQ(HSAuint32{info.MemFlags.Value}, flags.Value);
  EXPECT_EQ(static_cast<void*>(info.CPUAddress), start);
  EXPECT_EQ(HSAuint64{info.SizeInBytes}, 3 * kPage);
  EXPECT_FALSE(Known(start - 1));
  EXPECT_FALSE(Known(start + 3 * kPage));
  EXPECT_EQ(MapTo(start, 3 * kPage, {1}), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(MappedNodes(Query(start)), std::vector<HSAuint32>{1});
  if (flags.ui32.HostAccess) std::memset(start, 1, 3 * kPage);
  EXPECT_EQ(memory().Unmap(start), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(memory().Free(start, 3 * kPage), HSAKMT_STATUS_SUCCESS);
  EXPECT_FALSE(Known(start));
  EXPECT_EQ(kernel_.Holdings().buffers, 0U);
  EXPECT_EQ(kernel_.Holdings().mapped_bytes, 0U);
}

TEST_P(AllocationKinds, MemoryThatGoesGivesAllBack) {
  void* const start = Allocate(GetParam().node, 2 * kPage, GetParam().flags());
  EXPECT_EQ(MapTo(start, 2 * kPage, {1, 2}), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(memory().ObjectCount(), 1U);
  connection_.reset();
  EXPECT_EQ(kernel_.Leftovers(), "");
}

TEST_P(AllocationKinds, MappedMemoryIsNotFreed) {
  void* const start = Allocate(GetParam().node, kPage, GetParam().flags());
  ASSERT_EQ(MapTo(start, kPage, {2}), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(memory().Free(start, kPage), HSAKMT_STATUS_ERROR);
  EXPECT_EQ(MappedNodes(Query(start)), std::vector<HSAuint32>{2});
  EXPECT_EQ(memory().Unmap(start), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(memory().Free(start, kPage), HSAKMT_STATUS_SUCCESS);
}

INSTANTIATE_TEST_SUITE_P(Kinds, AllocationKinds, testing::ValuesIn(kKinds),
                         [](const auto& one) { return one.param.name; });

TEST_F(AllocationTest, BigMemoryIsAligned) {
  void* const start = Allocate(1, 4 << 20, PrivateVram());
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(start) % (2 << 20), 0U);
  void* aligned = nullptr;
  ASSERT_EQ(memory().Allocate(1, kPage, 1 << 20, PrivateVram(), &aligned), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(aligned) % (1 << 20), 0U);
}

TEST_F(AllocationTest, BadArguments) {
  void* address = nullptr;
  const auto allocate = [&](HSAuint64 size, HSAuint64 alignment, HsaMemFlags flags) {
    return memory().Allocate(1, size, alignment, flags, &address);
  };
  constexpr auto kInvalid = HSAKMT_STATUS_INVALID_PARAMETER;
  EXPECT_EQ(allocate(0, 0, Gtt()), kInvalid);
  EXPECT_EQ(allocate(kPage + 1, 0, Gtt()), kInvalid);
  EXPECT_EQ(allocate(kPage, kPage / 2, Gtt()), kInvalid);
  EXPECT_EQ(allocate(kPage, 3 * kPage, Gtt()), kInvalid);
  HsaMemFlags flags = Gtt();
  flags.ui32.FixedAddress = 1;
  EXPECT_EQ(allocate(kPage, 0, flags), kInvalid);
  flags = PrivateVram();
  flags.ui32.ExtendedCoherent = 1;
  EXPECT_EQ(allocate(kPage, 0, flags), kInvalid);
  flags = PrivateVram();
  flags.ui32.PageSize = HSA_PAGE_SIZE_2MB;
  EXPECT_EQ(allocate(kPage, 0, flags), kInvalid);
  flags = {};
  flags.ui32.OnlyAddress = flags.ui32.NoAddress = 1;
  EXPECT_EQ(allocate(kPage, 0, flags), kInvalid);
  EXPECT_EQ(allocate(std::uint64_t{1} << 50, 0, PrivateVram()), HSAKMT_STATUS_NO_MEMORY);
  EXPECT_EQ(memory().Free(nullptr, kPage), HSAKMT_STATUS_ERROR);
  EXPECT_EQ(memory().Free(&address, kPage), HSAKMT_STATUS_MEMORY_NOT_REGISTERED);
}

TEST_F(AllocationTest, FixedAddress) {
  void* const first = Allocate(1, kPage, PrivateVram());
  ASSERT_EQ(memory().Free(first, kPage), HSAKMT_STATUS_SUCCESS);
  HsaMemFlags flags = PrivateVram();
  flags.ui32.FixedAddress = 1;
  void* address = first;
  ASSERT_EQ(memory().Allocate(1, kPage, 0, flags, &address), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(address, first);
  EXPECT_EQ(memory().Allocate(1, kPage, 0, flags, &address), HSAKMT_STATUS_NO_MEMORY);
  EXPECT_TRUE(Known(first));
}

TEST_F(AllocationTest, OnlyAnAddress) {
  HsaMemFlags flags{};
  flags.ui32.OnlyAddress = 1;
  void* const start = Allocate(1, 4 * kPage, flags);
  const HsaPointerInfo info = Query(start);
  EXPECT_EQ(info.Type, HSA_POINTER_RESERVED_ADDR);
  EXPECT_EQ(HSAuint32{info.Node}, 0U);
  EXPECT_EQ(static_cast<void*>(info.CPUAddress), nullptr);
  EXPECT_EQ(MapTo(start, 4 * kPage, {1}), HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(kernel_.Holdings().buffers, 0U);
  EXPECT_EQ(memory().Free(start, 4 * kPage), HSAKMT_STATUS_SUCCESS);
}

TEST_F(AllocationTest, NoAddress) {
  HsaMemFlags flags = PrivateVram();
  flags.ui32.NoAddress = 1;
  void* const handle = Allocate(1, 4 * kPage, flags);
  EXPECT_GE(reinterpret_cast<std::uintptr_t>(handle), std::uintptr_t{1} << 56);
  EXPECT_EQ(Query(handle).Type, HSA_POINTER_ALLOCATED);
  EXPECT_EQ(MapTo(handle, 4 * kPage, {1}), HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(kernel_.Holdings().mapped_bytes, 0U);
  EXPECT_EQ(memory().Free(handle, 4 * kPage), HSAKMT_STATUS_SUCCESS);
  EXPECT_FALSE(Known(handle));
}

TEST_F(AllocationTest, AvailableIsLessAfterwards) {
  HSAuint64 before = 0;
  HSAuint64 after = 0;
  ASSERT_EQ(memory().Available(1, &before), HSAKMT_STATUS_SUCCESS);
  Allocate(1, 16 << 20, PrivateVram());
  ASSERT_EQ(memory().Available(1, &after), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(before - after, 16U << 20);
  EXPECT_EQ(memory().Available(0, &after), HSAKMT_STATUS_ERROR);
}

}  // namespace
}  // namespace kfdcts::thunk
