// Memory over the close of its context, and over a fork.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "thunk/test/memory/memory_fixture.h"

namespace kfdcts::thunk {
namespace {

class LifeTimeTest : public MemoryTest {};

TEST_F(LifeTimeTest, ReleasedObjectsLeaveRoomForNewOnes) {
  alignas(kPage) static std::byte host[kPage];
  void* const vram = Allocate(1, kPage, VisibleVram());
  void* const paged = Allocate(0, kPage, Paged());
  HsaMemFlags scratch{};
  scratch.ui32.Scratch = 1;
  Allocate(2, 1 << 16, scratch);
  ASSERT_EQ(memory().Register(host, kPage, std::nullopt, {}), HSAKMT_STATUS_SUCCESS);
  ASSERT_EQ(MapTo(vram, kPage, {1, 2}), HSAKMT_STATUS_SUCCESS);
  Memory::Internal internal;
  ASSERT_EQ(memory().AllocateInternal(1, kPage, Memory::InternalKind::kUncachedSystem, internal),
            HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(memory().ObjectCount(), 4U);
  memory().ReleaseObjects();
  EXPECT_EQ(memory().ObjectCount(), 0U);
  EXPECT_FALSE(Known(vram) || Known(paged) || Known(host));
  EXPECT_EQ(kernel_.Holdings().buffers, 1U);
  *static_cast<int*>(internal.address) = 1;
  EXPECT_EQ(MapTo(Allocate(1, kPage, PrivateVram()), kPage, {}), HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(memory().ObjectCount(), 1U);
  memory().FreeInternal(internal);
  EXPECT_EQ(internal.address, nullptr);
  EXPECT_EQ(kernel_.Holdings().buffers, 1U);
}

TEST_F(LifeTimeTest, InternalMemoryIsNoObject) {
  Memory::Internal internal;
  ASSERT_EQ(
      memory().AllocateInternal(2, 3 * kPage, Memory::InternalKind::kUncachedSystem, internal),
      HSAKMT_STATUS_SUCCESS);
  EXPECT_FALSE(Known(internal.address));
  EXPECT_EQ(memory().ObjectCount(), 0U);
  EXPECT_EQ(internal.size, 3 * kPage);
  EXPECT_NE(internal.handle, 0U);
  EXPECT_EQ(kernel_.Holdings().gpu_mappings, 1U);
  memory().FreeInternal(internal);
  EXPECT_EQ(memory().AllocateInternal(0, kPage, Memory::InternalKind::kUncachedSystem, internal),
            HSAKMT_STATUS_INVALID_NODE_UNIT);
}

bool IsMapped(void* page) { return msync(page, kPage, MS_ASYNC) == 0 || errno != ENOMEM; }

/// What a child's `work` answers.
template <typename Work>
bool InChild(Work work) {
  const pid_t child = fork();
  if (child == 0) _exit(work() ? 0 : 1);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// BUG-18, and BUG-17: however large.
TEST_F(LifeTimeTest, ChildHasSystemMemoryAndNoDeviceMemory) {
  void* const vram = Allocate(1, kPage, VisibleVram());
  void* const hidden = Allocate(1, kPage, PrivateVram());
  void* const gtt = Allocate(0, kPage, Gtt());
  auto* const paged = static_cast<int*>(Allocate(0, 4 << 20, Paged()));
  ASSERT_TRUE(IsMapped(vram) && IsMapped(hidden) && IsMapped(gtt) && IsMapped(paged));
  EXPECT_TRUE(InChild([&] { return !IsMapped(vram) && !IsMapped(hidden) && !IsMapped(gtt); }));
  EXPECT_TRUE(InChild([&] {
    paged[(1 << 20) - 1] = 7;
    return IsMapped(paged);
  }));
  EXPECT_EQ(paged[(1 << 20) - 1], 7);
}

TEST_F(LifeTimeTest, ChildThatAbandonsMakesNoCall) {
  Allocate(1, kPage, VisibleVram());
  void* const mapped = Allocate(0, kPage, Paged());
  ASSERT_EQ(MapTo(mapped, kPage, {1}), HSAKMT_STATUS_SUCCESS);
  EXPECT_TRUE(InChild([&] {
    const std::uint64_t before = kernel_.Calls();
    memory().AbandonInChild();
    memory().ReleaseObjects();
    return kernel_.Calls() == before && memory().ObjectCount() == 0 && IsMapped(mapped);
  }));
  EXPECT_EQ(MappedNodes(Query(mapped)), std::vector<HSAuint32>{1});
}

// BUG-22: what is freed is gone, not merely out of reach.
TEST_F(LifeTimeTest, FreedSystemMemoryIsUnmapped) {
  void* const paged = Allocate(0, kPage, Paged());
  *static_cast<int*>(paged) = 1;
  ASSERT_EQ(memory().Free(paged, kPage), HSAKMT_STATUS_SUCCESS);
  EXPECT_FALSE(IsMapped(paged));
}

}  // namespace
}  // namespace kfdcts::thunk
