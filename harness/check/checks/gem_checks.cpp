// DRM buffer objects, and memory that DRM and KFD share as dma-bufs.
#include <amdgpu_drm.h>
#include <fcntl.h>
#include <sys/mman.h>

#include <cerrno>

#include "harness/check/fixture.h"
#include "harness/check/target.h"
#include "harness/gpu/gem.h"
#include "harness/gpu/runner.h"

namespace kfdcts::check {
namespace {

using gpu::Buffer;
using gpu::BufferKind;
using gpu::FileMapping;
using gpu::GemObject;
using gpu::SdmaPackets;

constexpr std::uint64_t kBytes = 1 << 20;

class Gem : public GpuCheck {
 public:
  GemObject Make(std::uint32_t domain) {
    const std::uint64_t flags =
        domain == AMDGPU_GEM_DOMAIN_VRAM ? AMDGPU_GEM_CREATE_CPU_ACCESS_REQUIRED : 0;
    return {gpu().render_fd(), kBytes, domain, flags};
  }
};
ON_EACH_GPU(Gem);

int MmapError(int fd, std::uint64_t offset, std::uint64_t bytes) {
  void* map =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, static_cast<off_t>(offset));
  if (map == MAP_FAILED) return errno;
  munmap(map, bytes);
  return 0;
}

GPU_CHECK(Gem, ReadsWhatWasWrittenByItsFakeOffset) {
  for (const std::uint32_t domain : {AMDGPU_GEM_DOMAIN_VRAM, AMDGPU_GEM_DOMAIN_GTT}) {
    const GemObject object = check.Make(domain);
    const std::uint64_t offset = object.MmapOffset();
    EXPECT_EQ(object.MmapOffset(), offset) << "asked twice";
    const FileMapping first(check.gpu().render_fd(), offset, kBytes),
        second(check.gpu().render_fd(), offset, kBytes);
    gpu::FillPattern(first.span(), domain);
    EXPECT_EQ(gpu::FirstMismatch(second.span(), domain), kBytes);
  }
}

GPU_CHECK(Gem, TwoObjectsHaveTwoOffsets) {
  const GemObject first = check.Make(AMDGPU_GEM_DOMAIN_GTT),
                  second = check.Make(AMDGPU_GEM_DOMAIN_GTT);
  const FileMapping one(check.gpu().render_fd(), first.MmapOffset(), kBytes);
  const FileMapping two(check.gpu().render_fd(), second.MmapOffset(), kBytes);
  gpu::FillPattern(one.span(), 1);
  gpu::FillPattern(two.span(), 2);
  EXPECT_EQ(gpu::FirstMismatch(one.span(), 1), kBytes);
  EXPECT_EQ(gpu::FirstMismatch(two.span(), 2), kBytes);
}

GPU_CHECK(Gem, WrongOffsetsAndFilesAreRefused) {
  const GemObject object = check.Make(AMDGPU_GEM_DOMAIN_GTT);
  const int fd = check.gpu().render_fd();
  const std::uint64_t offset = object.MmapOffset();
  EXPECT_EQ(MmapError(fd, offset, kBytes), 0);
  EXPECT_EQ(MmapError(fd, offset, kBytes + gpu::kPageBytes), EINVAL);
  EXPECT_EQ(MmapError(fd, offset + gpu::kPageBytes, gpu::kPageBytes), EINVAL)
      << "inside of the object";
  const gpu::UniqueFd other = gpu::OpenRenderNode(check.gpu().node());
  EXPECT_EQ(MmapError(other.get(), offset, kBytes), EACCES) << "another open file";
}

GPU_CHECK(Gem, UnknownHandleIsENOENT) {
  drm_amdgpu_gem_mmap args{};
  args.in.handle = 12345;
  EXPECT_EQ(gpu::Ioctl(check.gpu().render_fd(), DRM_IOCTL_AMDGPU_GEM_MMAP, &args), ENOENT);
}

GPU_CHECK(Gem, ClosedObjectIsGone) {
  std::uint64_t offset = 0;
  {
    const GemObject object = check.Make(AMDGPU_GEM_DOMAIN_GTT);
    offset = object.MmapOffset();
  }
  EXPECT_NE(MmapError(check.gpu().render_fd(), offset, kBytes), 0);
}

class Dmabuf : public GpuCheck {
 public:
  /// IMPORT_DMABUF of `fd` at `address`, mapped to the GPU.
  std::uint64_t Import(int fd, std::uint64_t address) {
    kfd_ioctl_import_dmabuf_args args{};
    args.va_addr = address;
    args.gpu_id = gpu().id();
    args.dmabuf_fd = static_cast<std::uint32_t>(fd);
    session().kfd().Do(AMDKFD_IOC_IMPORT_DMABUF, args, "IMPORT_DMABUF");
    const std::uint32_t id = gpu().id();
    std::uint32_t done = 0;
    gpu::Require(gpu::MapHandle(session().kfd(), args.handle, {&id, 1}, done),
                 "MAP of an imported dma-buf");
    return args.handle;
  }
  void Drop(std::uint64_t handle) {
    const std::uint32_t id = gpu().id();
    std::uint32_t done = 0;
    EXPECT_EQ(gpu::UnmapHandle(session().kfd(), handle, {&id, 1}, done), 0);
    EXPECT_EQ(gpu::FreeHandle(session().kfd(), handle), 0);
  }
};
ON_EACH_GPU(Dmabuf);

GPU_CHECK(Dmabuf, KfdUsesWhatDrmExports) {
  gpu::SdmaRunner sdma(check.session(), check.gpu());
  const GemObject object(check.gpu().render_fd(), kBytes, AMDGPU_GEM_DOMAIN_GTT, 0);
  const FileMapping view(check.gpu().render_fd(), object.MmapOffset(), kBytes);
  gpu::FillPattern(view.span(), 1);
  const gpu::UniqueFd dmabuf = object.ExportDmabuf();
  const gpu::HostMemory room(gpu::HostMemory::Kind::kReserved, kBytes);
  const std::uint64_t handle = check.Import(dmabuf.get(), room.address());
  const Buffer copy(check.gpu(), BufferKind::kGtt, kBytes);
  ASSERT_DONE(sdma.Run(
      SdmaPackets().Copy(copy.address(), room.address(), kBytes).Write(room.address(), 0x1234)));
  EXPECT_EQ(gpu::FirstMismatch(copy.span(), 1), kBytes);
  EXPECT_EQ(*reinterpret_cast<std::uint32_t*>(view.span().data()), 0x1234U);
  check.Drop(handle);
}

GPU_CHECK(Dmabuf, InfoTellsSizeAndKind) {
  const GemObject object(check.gpu().render_fd(), kBytes, AMDGPU_GEM_DOMAIN_VRAM, 0);
  const gpu::UniqueFd dmabuf = object.ExportDmabuf();
  kfd_ioctl_get_dmabuf_info_args args{};
  args.dmabuf_fd = static_cast<std::uint32_t>(dmabuf.get());
  ASSERT_EQ(check.session().kfd().Call(AMDKFD_IOC_GET_DMABUF_INFO, args), 0);
  EXPECT_EQ(args.size, kBytes);
  EXPECT_EQ(args.flags, std::uint32_t{KFD_IOC_ALLOC_MEM_FLAGS_VRAM});
}

GPU_CHECK(Dmabuf, DrmUsesWhatKfdExports) {
  SKIP_UNLESS(NeedsIoctl(check.session().kfd(), AMDKFD_IOC_EXPORT_DMABUF, "EXPORT_DMABUF"));
  const Buffer buffer(check.gpu(), BufferKind::kGtt, kBytes);
  gpu::FillPattern(buffer.span(), 2);
  kfd_ioctl_export_dmabuf_args args{};
  args.handle = buffer.handle();
  args.flags = O_CLOEXEC | O_RDWR;
  ASSERT_EQ(check.session().kfd().Call(AMDKFD_IOC_EXPORT_DMABUF, args), 0);
  const gpu::UniqueFd dmabuf(static_cast<int>(args.dmabuf_fd));
  const GemObject object(check.gpu().render_fd(), dmabuf.get(), kBytes);
  const FileMapping view(check.gpu().render_fd(), object.MmapOffset(), kBytes);
  EXPECT_EQ(gpu::FirstMismatch(view.span(), 2), kBytes);
}

GPU_CHECK(Dmabuf, OtherFilesAreRefused) {
  const gpu::UniqueFd null(open("/dev/null", O_RDWR | O_CLOEXEC));
  kfd_ioctl_import_dmabuf_args args{};
  args.va_addr = 0x10000000;
  args.gpu_id = check.gpu().id();
  args.dmabuf_fd = static_cast<std::uint32_t>(null.get());
  EXPECT_EQ(check.session().kfd().Call(AMDKFD_IOC_IMPORT_DMABUF, args), EINVAL);
  args.dmabuf_fd = 9999;
  EXPECT_EQ(check.session().kfd().Call(AMDKFD_IOC_IMPORT_DMABUF, args), EBADF);
}

}  // namespace
}  // namespace kfdcts::check
