// Objects that are another device's memory, and those that are the kernel's own.
#include <amdgpu_drm.h>
#include <fcntl.h>
#include <linux/udmabuf.h>
#include <unistd.h>

#include <csignal>

#include "harness/gpu/error.h"
#include "harness/gpu/kfd.h"
#include "harness/test_support/child.h"
#include "suites/fake_offset/offset_test.h"

namespace kfdcts::suites {
namespace {

/// System memory behind a dma-buf that belongs to no GPU.
UniqueFd MemoryOfNoGpu(std::uint64_t bytes) {
  const UniqueFd device(open("/dev/udmabuf", O_RDWR | O_CLOEXEC));
  if (!device.valid()) throw harness::CapabilityMissing("udmabuf", "/dev/udmabuf does not open");
  const UniqueFd memory(memfd_create("offset", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!memory.valid() || ftruncate(memory.get(), static_cast<off_t>(bytes)) != 0 ||
      fcntl(memory.get(), F_ADD_SEALS, F_SEAL_SHRINK) != 0) {
    throw gpu::GpuError(errno, "memfd_create");
  }
  udmabuf_create args{};
  args.memfd = static_cast<std::uint32_t>(memory.get());
  args.flags = UDMABUF_FLAGS_CLOEXEC;
  args.size = bytes;
  const int fd = ioctl(device.get(), UDMABUF_CREATE, &args);
  if (fd < 0) throw gpu::GpuError(errno, "UDMABUF_CREATE");
  return UniqueFd(fd);
}

class ImportedTest : public OffsetTest {
 protected:
  /// That an object of another device has a place among this one's offsets, that nothing can be
  /// accessed there, and that the dma-buf's own mapping can.
  void ExpectUnreachable(const UniqueFd& file, const Handle& imported, const UniqueFd& dma_buf,
                         std::uint64_t bytes) {
    std::uint64_t offset = 0;
    ASSERT_EQ(AskAmdgpu(file.get(), imported.get(), &offset), 0);
    EXPECT_EQ(offset % PageSize(), 0U);
    EXPECT_GE(offset, kFirstOffset);
    EXPECT_EQ(TryMap(file.get(), offset, bytes), 0);
    EXPECT_EQ(TryMap(file.get(), offset, bytes + PageSize()), EINVAL);
    const harness::ChildResult child = harness::RunInChild([&] {
      const gpu::FileMapping mapping(file.get(), offset, bytes);
      gpu::FillPattern(mapping.span(), 1);
    });
    EXPECT_EQ(child.signal, SIGBUS) << child.Describe();
    const gpu::FileMapping own(dma_buf.get(), 0, bytes);
    gpu::FillPattern(own.span(), 51);
    EXPECT_EQ(gpu::FirstMismatch(own.span(), 51), bytes);
  }
};

struct DomainCase {
  std::string_view name;
  std::uint64_t domain;
};
constexpr DomainCase kDomains[] = {{"vram", AMDGPU_GEM_DOMAIN_VRAM},
                                   {"gtt", AMDGPU_GEM_DOMAIN_GTT}};

}  // namespace

KFD_TEST_CASES_F(FakeOffset, ImportOfOtherGpu, ImportedTest, kDomains,
                 .property =
                     "an object imported from another GPU has an offset of its own there, "
                     "at which it maps and touching it is SIGBUS; the dma-buf's own mapping "
                     "works",
                 .rules = "OFF-11", .scope = Scope::kEachGpuPair) {
  GemSource maker(NodesOfRenderMinor(static_cast<int>(gpu(0).facts.Property("drm_render_minor"))),
                  param().domain, 0);
  const UniqueFd file = maker.Open();
  const Buffer buffer(maker, file, 3 * PageSize());
  const UniqueFd dma_buf = Exported(file.get(), buffer.handle());
  const DrmNodes nodes =
      NodesOfRenderMinor(static_cast<int>(gpu(1).facts.Property("drm_render_minor")));
  const UniqueFd other = OpenNode(nodes.render);
  const Handle imported = Handle::Of(other.get(), dma_buf);
  ExpectUnreachable(other, imported, dma_buf, buffer.bytes());
}

KFD_TEST_F(FakeOffset, ImportOfNoGpu, ImportedTest,
           .property =
               "memory imported from a dma-buf of no GPU has an offset, at which it maps and "
               "touching it is SIGBUS; the dma-buf's own mapping works",
           .rules = "OFF-11") {
  const UniqueFd dma_buf = MemoryOfNoGpu(3 * PageSize());
  const UniqueFd file = OpenNode(NodesOfRenderMinor(RenderMinor()).render);
  const Handle imported = Handle::Of(file.get(), dma_buf);
  ExpectUnreachable(file, imported, dma_buf, 3 * PageSize());
}

KFD_TEST_F(
    FakeOffset, ImportIsNoDumbBuffer, ImportedTest,
    .property = "vgem, whose query is the core's, gives no offset of imported memory (EINVAL)",
    .rules = "OFF-11", .scope = Scope::kCpu, .kfd = KfdState::kClosed) {
  const auto vgem = MakeVgemSource();
  const UniqueFd dma_buf = MemoryOfNoGpu(3 * PageSize());
  const UniqueFd file = vgem->Open();
  const Handle imported = Handle::Of(file.get(), dma_buf);
  std::uint64_t offset = 0;
  EXPECT_EQ(AskDumb(file.get(), imported.get(), &offset), EINVAL);
}

OFFSET_TEST(NothingWithoutHandle,
            .property =
                "a file without handles can map nothing at any of the first offsets, where "
                "the kernel's own objects and other files' would be: EACCES or EINVAL",
            .rules = "OFF-6 OFF-11") {
  constexpr std::uint64_t kPages = 1024;
  const UniqueFd file = Open();
  const Buffer buffer = Make(file);
  const UniqueFd stranger = Open();
  std::uint64_t denied = 0;
  for (std::uint64_t page = 0; page < kPages; ++page) {
    const int error = TryMap(stranger.get(), kFirstOffset + page * PageSize(), PageSize());
    EXPECT_TRUE(error == EACCES || error == EINVAL) << page << ": " << error;
    denied += error == EACCES;
  }
  EXPECT_GE(denied, buffer.Offset() < kFirstOffset + kPages * PageSize() ? 1U : 0U);
}

}  // namespace kfdcts::suites
