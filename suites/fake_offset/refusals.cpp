// Objects whose offset nobody gets, and questions that have no answer.
#include <amdgpu.h>
#include <amdgpu_drm.h>

#include "harness/gpu/error.h"
#include "harness/gpu/kfd.h"
#include "suites/fake_offset/offset_test.h"

namespace kfdcts::suites {
namespace {

/// Tests that ask amdgpu's own way and the dumb buffers' way.
class RefusalTest : public MemoryTest {
 protected:
  DrmNodes Nodes() const { return NodesOfRenderMinor(RenderMinor()); }
};

/// A handle of a user-pointer object.
Handle UserPointer(int fd, void* address, std::uint64_t bytes) {
  drm_amdgpu_gem_userptr args{};
  args.addr = reinterpret_cast<std::uint64_t>(address);
  args.size = bytes;
  args.flags = AMDGPU_GEM_USERPTR_ANONONLY | AMDGPU_GEM_USERPTR_REGISTER;
  gpu::Require(gpu::Ioctl(fd, DRM_IOCTL_AMDGPU_GEM_USERPTR, &args), "AMDGPU_GEM_USERPTR");
  return {fd, args.handle};
}

/// The offset that the next object of this size gets: that of one which is gone.
std::uint64_t NextOffset(OffsetSource& source, const UniqueFd& file, std::uint64_t bytes) {
  const Buffer buffer(source, file, bytes);
  return buffer.Offset();
}

}  // namespace

OFFSET_TEST(UnknownHandle,
            .property =
                "asking about a handle that is none is ENOENT: 0, one never given, one that "
                "was closed, one of another file",
            .rules = "OFF-9") {
  const UniqueFd file = Open();
  Buffer buffer = Make(file);
  const std::uint32_t handle = buffer.handle();
  std::uint64_t offset = 0;
  EXPECT_EQ(source().Ask(file.get(), 0, &offset), ENOENT);
  EXPECT_EQ(source().Ask(file.get(), 0x7ffffff0, &offset), ENOENT);
  EXPECT_EQ(source().Ask(file.get(), 0xffffffff, &offset), ENOENT);
  ASSERT_EQ(buffer.Close(), 0);
  EXPECT_EQ(source().Ask(file.get(), handle, &offset), ENOENT);
  EXPECT_EQ(CloseHandle(file.get(), handle), EINVAL);
}

OFFSET_TEST(HandleOfAnotherFile,
            .property = "a handle is a number of its own file: in another file it is ENOENT",
            .rules = "OFF-9") {
  const UniqueFd file = Open();
  const UniqueFd other = Open();
  const Buffer buffer = Make(file);
  ASSERT_NE(buffer.Offset(), 0U);
  std::uint64_t offset = 0;
  const auto ask = gpus().empty() ? AskDumb : AskAmdgpu;
  EXPECT_EQ(ask(other.get(), buffer.handle(), &offset), ENOENT);
}

KFD_TEST_F(FakeOffset, NoCpuAccess, RefusalTest,
           .property =
               "of an object made with NO_CPU_ACCESS neither query gives the offset (EPERM), "
               "and mapping at the offset that it has is EPERM",
           .rules = "OFF-9 OFF-12", .guards = "BUG-49") {
  GemSource visible(Nodes(), AMDGPU_GEM_DOMAIN_VRAM, 0);
  GemSource hidden(Nodes(), AMDGPU_GEM_DOMAIN_VRAM, AMDGPU_GEM_CREATE_NO_CPU_ACCESS);
  const UniqueFd file = OpenNode(visible.path());
  const std::uint64_t expected = NextOffset(visible, file, PageSize());
  const Buffer buffer(hidden, file, PageSize());
  std::uint64_t offset = 0;
  EXPECT_EQ(AskAmdgpu(file.get(), buffer.handle(), &offset), EPERM);
  for (const int protection : {PROT_NONE, PROT_READ, PROT_READ | PROT_WRITE}) {
    EXPECT_EQ(TryMap(file.get(), expected, PageSize(), protection), EPERM) << protection;
  }
  const UniqueFd card = OpenNode(Nodes().card);
  const Handle imported = Handle::Of(card.get(), Exported(file.get(), buffer.handle()));
  EXPECT_EQ(AskDumb(card.get(), imported.get(), &offset), EPERM);
}

KFD_TEST_F(FakeOffset, UserPointer, RefusalTest,
           .property =
               "of a user-pointer object no query gives the offset (EPERM), and mapping at "
               "the offset that it has is EPERM",
           .rules = "OFF-9", .guards = "BUG-49") {
  GemSource plain(Nodes(), AMDGPU_GEM_DOMAIN_GTT, 0);
  const UniqueFd file = OpenNode(plain.path());
  const HostPages pages(3);
  const std::uint64_t expected = NextOffset(plain, file, pages.size());
  const Handle object = suites::UserPointer(file.get(), pages.At(), pages.size());
  std::uint64_t offset = 0;
  EXPECT_EQ(AskAmdgpu(file.get(), object.get(), &offset), EPERM);
  EXPECT_EQ(TryMap(file.get(), expected, pages.size()), EPERM);
  UniqueFd dma_buf;
  EXPECT_EQ(Export(file.get(), object.get(), &dma_buf), EPERM);
}

KFD_TEST_F(FakeOffset, UserPointerOfLibdrm, RefusalTest,
           .property = "amdgpu_bo_cpu_map of user memory fails with EPERM and maps nothing",
           .rules = "OFF-9") {
  const UniqueFd file = OpenNode(Nodes().render);
  const HostPages pages(3);
  std::uint32_t major = 0;
  std::uint32_t minor = 0;
  amdgpu_device_handle device = nullptr;
  ASSERT_EQ(amdgpu_device_initialize(file.get(), &major, &minor, &device), 0);
  amdgpu_bo_handle object = nullptr;
  ASSERT_EQ(amdgpu_create_bo_from_user_mem(device, pages.At(), pages.size(), &object), 0);
  void* address = nullptr;
  EXPECT_EQ(amdgpu_bo_cpu_map(object, &address), -EPERM);
  EXPECT_EQ(amdgpu_bo_free(object), 0);
  amdgpu_device_deinitialize(device);
}

OFFSET_TEST(QueriesAgree,
            .property =
                "the dumb buffers' query on the card node and amdgpu's own on either node "
                "give one offset for one object",
            .rules = "OFF-10") {
  if (gpus().empty()) throw harness::CapabilityMissing("gpu", "vgem has one query only");
  const UniqueFd file = Open();
  const UniqueFd card = source().OpenCard();
  const Buffer buffer = Make(file);
  const Handle imported = Handle::Of(card.get(), Exported(file.get(), buffer.handle()));
  std::uint64_t by_dumb = 0;
  std::uint64_t by_amdgpu = 0;
  EXPECT_EQ(AskDumb(card.get(), imported.get(), &by_dumb), 0);
  EXPECT_EQ(AskAmdgpu(card.get(), imported.get(), &by_amdgpu), 0);
  EXPECT_EQ(by_dumb, buffer.Offset());
  EXPECT_EQ(by_amdgpu, buffer.Offset());
}

OFFSET_TEST(DumbNeedsCard,
            .property =
                "the render node takes no dumb-buffer call (EACCES), also for an object "
                "that it has a handle of",
            .rules = "OFF-6 OFF-10") {
  const UniqueFd file = Open();
  const UniqueFd render = source().OpenRender();
  const Buffer buffer = Make(file);
  const Handle imported = Handle::Of(render.get(), Exported(file.get(), buffer.handle()));
  std::uint64_t offset = 0;
  EXPECT_EQ(AskDumb(render.get(), imported.get(), &offset), EACCES);
  DumbSource dumb({source().path(), source().path()});
  try {
    dumb.Create(render.get(), PageSize());
    ADD_FAILURE() << "a dumb buffer on the render node";
  } catch (const std::system_error& error) {
    EXPECT_EQ(error.code().value(), EACCES);
  }
}

}  // namespace kfdcts::suites
