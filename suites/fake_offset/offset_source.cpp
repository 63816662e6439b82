#include "suites/fake_offset/offset_source.h"

#include <amdgpu_drm.h>
#include <drm_mode.h>
#include <xf86drm.h>

#include <stdexcept>
#include <utility>

#include "harness/capabilities/capability.h"
#include "harness/gpu/error.h"
#include "harness/gpu/kfd.h"
#include "suites/fake_offset/libdrm_source.h"
#include "suites/fake_offset/thunk_source.h"

namespace kfdcts::suites {
namespace {

DrmNodes NodesOf(const harness::GpuNode& gpu) {
  return NodesOfRenderMinor(static_cast<int>(gpu.facts.Property("drm_render_minor")));
}

using Made = std::unique_ptr<OffsetSource>;

Made MakeDumb(const harness::GpuNode& gpu, const harness::ThunkApi& /*thunk*/) {
  auto source = std::make_unique<DumbSource>(NodesOf(gpu));
  const UniqueFd file = source->Open();
  try {
    source->Close(file.get(), source->Create(file.get(), 4096));
  } catch (const std::system_error& error) {
    throw harness::CapabilityMissing("dumb-buffers", error.what());
  }
  return source;
}

Made MakeVram(const harness::GpuNode& gpu, const harness::ThunkApi& /*thunk*/) {
  return std::make_unique<GemSource>(NodesOf(gpu), AMDGPU_GEM_DOMAIN_VRAM,
                                     AMDGPU_GEM_CREATE_CPU_ACCESS_REQUIRED);
}

Made MakeGtt(const harness::GpuNode& gpu, const harness::ThunkApi& /*thunk*/) {
  return std::make_unique<GemSource>(NodesOf(gpu), AMDGPU_GEM_DOMAIN_GTT, 0);
}

Made MakeLibdrm(const harness::GpuNode& gpu, const harness::ThunkApi& /*thunk*/) {
  return std::make_unique<LibdrmSource>(NodesOf(gpu));
}

Made MakeThunk(const harness::GpuNode& gpu, const harness::ThunkApi& thunk) {
  return std::make_unique<ThunkSource>(
      NodesOf(gpu), thunk, gpu.node_id,
      gpu.facts.vram_is_public ? MemoryKind::kVisibleVram : MemoryKind::kGtt);
}

}  // namespace

constinit const SourceCase kGpuSources[kGpuSourceCount] = {
    {"dumb", MakeDumb},     {"gem_vram", MakeVram}, {"gem_gtt", MakeGtt},
    {"libdrm", MakeLibdrm}, {"thunk", MakeThunk},
};

UniqueFd OffsetSource::OpenPath(const std::string& path) {
  if (IsCard(path) && !master_.valid()) master_ = OpenNode(path);
  UniqueFd file = OpenNode(path);
  if (!IsCard(path)) return file;
  drm_magic_t magic = 0;
  if (drmGetMagic(file.get(), &magic) != 0 || drmAuthMagic(master_.get(), magic) != 0) {
    throw harness::CapabilityMissing("card-master", path + " has another master");
  }
  return file;
}

std::unique_ptr<OffsetSource> MakeVgemSource() {
  auto nodes = NodesOfDriver("vgem");
  if (!nodes) throw harness::CapabilityMissing("vgem", "no DRM device of the driver vgem");
  return std::make_unique<DumbSource>(std::move(*nodes));
}

DumbSource::DumbSource(DrmNodes nodes) : nodes_(std::move(nodes)) {}

std::uint32_t DumbSource::Create(int fd, std::uint64_t bytes) {
  drm_mode_create_dumb args{};
  args.bpp = 32;
  args.width = static_cast<std::uint32_t>((bytes + 3) / 4);
  args.height = 1;
  gpu::Require(gpu::Ioctl(fd, DRM_IOCTL_MODE_CREATE_DUMB, &args), "MODE_CREATE_DUMB");
  return args.handle;
}

GemSource::GemSource(DrmNodes nodes, std::uint64_t domain, std::uint64_t flags)
    : nodes_(std::move(nodes)), domain_(domain), flags_(flags) {}

std::uint32_t GemSource::Create(int fd, std::uint64_t bytes) {
  drm_amdgpu_gem_create args{};
  args.in.bo_size = bytes;
  args.in.alignment = 4096;
  args.in.domains = domain_;
  args.in.domain_flags = flags_;
  gpu::Require(gpu::Ioctl(fd, DRM_IOCTL_AMDGPU_GEM_CREATE, &args), "AMDGPU_GEM_CREATE");
  return args.out.handle;
}

Buffer::Buffer(OffsetSource& source, const UniqueFd& file, std::uint64_t bytes)
    : source_(source), fd_(file.get()), handle_(source.Create(file.get(), bytes)), bytes_(bytes) {}

Buffer::Buffer(Buffer&& other) noexcept
    : source_(other.source_),
      fd_(other.fd_),
      handle_(std::exchange(other.handle_, 0)),
      bytes_(other.bytes_) {}

Buffer::~Buffer() {
  if (handle_ != 0) Close();
}

std::uint64_t Buffer::Offset() const {
  std::uint64_t offset = 0;
  gpu::Require(source_.Ask(fd_, handle_, &offset), "asking for an mmap offset");
  return offset;
}

int Buffer::Close() { return source_.Close(fd_, std::exchange(handle_, 0)); }

}  // namespace kfdcts::suites
