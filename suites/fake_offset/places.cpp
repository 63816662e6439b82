// The offset has nothing to do with where the data is.
#include <amdgpu_drm.h>

#include <cstring>
#include <list>

#include "harness/gpu/error.h"
#include "harness/gpu/kfd.h"
#include "suites/fake_offset/offset_test.h"

namespace kfdcts::suites {
namespace {

struct PlaceCase {
  std::string_view name;
  std::uint64_t domain;
  std::uint64_t flags;
};
constexpr PlaceCase kPlaces[] = {
    {"vram", AMDGPU_GEM_DOMAIN_VRAM, 0},
    {"visible_vram", AMDGPU_GEM_DOMAIN_VRAM, AMDGPU_GEM_CREATE_CPU_ACCESS_REQUIRED},
    {"gtt", AMDGPU_GEM_DOMAIN_GTT, 0},
    {"gtt_uncached", AMDGPU_GEM_DOMAIN_GTT, AMDGPU_GEM_CREATE_CPU_GTT_USWC},
    {"cpu", AMDGPU_GEM_DOMAIN_CPU, 0},
    {"vram_or_gtt", AMDGPU_GEM_DOMAIN_VRAM | AMDGPU_GEM_DOMAIN_GTT, 0},
};

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;

std::uint64_t Info(int fd, std::uint32_t query) {
  std::uint64_t value = 0;
  drm_amdgpu_info args{};
  args.return_pointer = reinterpret_cast<std::uint64_t>(&value);
  args.return_size = sizeof(value);
  args.query = query;
  gpu::Require(gpu::Ioctl(fd, DRM_IOCTL_AMDGPU_INFO, &args), "AMDGPU_INFO");
  return value;
}

drm_amdgpu_info_vram_gtt Sizes(int fd) {
  drm_amdgpu_info_vram_gtt sizes{};
  drm_amdgpu_info args{};
  args.return_pointer = reinterpret_cast<std::uint64_t>(&sizes);
  args.return_size = sizeof(sizes);
  args.query = AMDGPU_INFO_VRAM_GTT;
  gpu::Require(gpu::Ioctl(fd, DRM_IOCTL_AMDGPU_INFO, &args), "AMDGPU_INFO_VRAM_GTT");
  return sizes;
}

class PlacesTest : public MemoryTest {
 protected:
  DrmNodes Nodes() const { return NodesOfRenderMinor(RenderMinor()); }
};

/// An object that stays mapped, with a word of its own in every page.
class Marked {
 public:
  Marked(OffsetSource& source, const UniqueFd& file, std::uint64_t bytes, std::uint32_t seed)
      : buffer_(source, file, bytes),
        offset_(buffer_.Offset()),
        mapping_(file.get(), offset_, bytes),
        seed_(seed) {}

  void Write() {
    for (std::size_t page = 0; page < Pages(); ++page) Word(page) = Mark(page);
  }

  /// Pages whose word is not the one that was written.
  std::size_t Wrong() const {
    std::size_t wrong = 0;
    for (std::size_t page = 0; page < Pages(); ++page) wrong += Word(page) != Mark(page);
    return wrong;
  }

  bool OffsetStayed() const { return buffer_.Offset() == offset_; }

 private:
  std::size_t Pages() const { return buffer_.bytes() / PageSize(); }
  volatile std::uint32_t& Word(std::size_t page) const {
    return *reinterpret_cast<volatile std::uint32_t*>(mapping_.span().data() + page * PageSize());
  }
  std::uint32_t Mark(std::size_t page) const {
    return seed_ * 0x9e3779b1U + static_cast<std::uint32_t>(page);
  }

  Buffer buffer_;
  std::uint64_t offset_;
  gpu::FileMapping mapping_;
  std::uint32_t seed_;
};

}  // namespace

KFD_TEST_CASES_F(FakeOffset, EveryPlace, PlacesTest, kPlaces,
                 .property =
                     "an object of any memory domain has an offset at which it is mapped, "
                     "and the offset is the same after the first access",
                 .rules = "OFF-1 OFF-2 OFF-12") {
  GemSource source(Nodes(), param().domain, param().flags);
  const UniqueFd file = source.Open();
  const Buffer buffer(source, file, 5 * PageSize());
  const std::uint64_t offset = buffer.Offset();
  EXPECT_GE(offset, kFirstOffset);
  const gpu::FileMapping mapping(file.get(), offset, buffer.bytes());
  gpu::FillPattern(mapping.span(), 31);
  EXPECT_EQ(gpu::FirstMismatch(mapping.span(), 31), buffer.bytes());
  EXPECT_EQ(buffer.Offset(), offset);
}

KFD_TEST_F(FakeOffset, InvisibleVram, PlacesTest,
           .property =
               "more VRAM than the CPU's window holds can be mapped and accessed: what lies "
               "outside moves on a fault, offsets and contents stay",
           .rules = "OFF-12") {
  GemSource source(Nodes(), AMDGPU_GEM_DOMAIN_VRAM, 0);
  const UniqueFd file = source.Open();
  const drm_amdgpu_info_vram_gtt sizes = Sizes(file.get());
  if (sizes.vram_size <= sizes.vram_cpu_accessible_size + 32 * kMiB) {
    throw harness::CapabilityMissing("small-bar", "the CPU can map all VRAM");
  }
  const std::uint64_t faults = Info(file.get(), AMDGPU_INFO_NUM_VRAM_CPU_PAGE_FAULTS);
  std::list<Marked> objects;
  const std::uint64_t count = sizes.vram_cpu_accessible_size / (8 * kMiB) + 4;
  for (std::uint32_t i = 0; i < count; ++i) objects.emplace_back(source, file, 8 * kMiB, i);
  for (Marked& object : objects) object.Write();
  for (const Marked& object : objects) {
    EXPECT_EQ(object.Wrong(), 0U);
    EXPECT_TRUE(object.OffsetStayed());
  }
  EXPECT_GT(Info(file.get(), AMDGPU_INFO_NUM_VRAM_CPU_PAGE_FAULTS), faults);
}

KFD_TEST_F(FakeOffset, MovesUnderPressure, PlacesTest,
           .property =
               "objects that are evicted from VRAM while they are mapped keep offset and "
               "contents, and take new contents where they are",
           .rules = "OFF-2 OFF-12", .labels = "full-vram") {
  GemSource source(Nodes(), AMDGPU_GEM_DOMAIN_VRAM, AMDGPU_GEM_CREATE_CPU_ACCESS_REQUIRED);
  const UniqueFd file = source.Open();
  const drm_amdgpu_info_vram_gtt sizes = Sizes(file.get());
  if (sizes.vram_size > 128 * kMiB) {
    throw harness::CapabilityMissing("small-vram", "too much VRAM to fill in a test");
  }
  const std::uint64_t evictions = Info(file.get(), AMDGPU_INFO_NUM_EVICTIONS);
  std::list<Marked> objects;
  std::list<Marked> pressure;
  for (std::uint32_t i = 0; i < 4; ++i) objects.emplace_back(source, file, 4 * kMiB, i);
  for (Marked& object : objects) object.Write();
  for (std::uint64_t filled = 0; filled < sizes.vram_size; filled += 8 * kMiB) {
    pressure.emplace_back(source, file, 8 * kMiB, static_cast<std::uint32_t>(filled / kMiB));
    pressure.back().Write();
  }
  EXPECT_GT(Info(file.get(), AMDGPU_INFO_NUM_EVICTIONS), evictions);
  for (Marked& object : objects) {
    EXPECT_EQ(object.Wrong(), 0U);
    EXPECT_TRUE(object.OffsetStayed());
    object.Write();
  }
  pressure.clear();
  for (const Marked& object : objects) EXPECT_EQ(object.Wrong(), 0U);
}

KFD_TEST_CASES_F(FakeOffset, ProtNonePrivate, PlacesTest, kPlaces,
                 .property =
                     "a private mapping without access, which debuggers get of VRAM, is "
                     "made, and can never become writable (EACCES)",
                 .rules = "OFF-5", .guards = "BUG-49") {
  GemSource source(Nodes(), param().domain, param().flags);
  const UniqueFd file = source.Open();
  const Buffer buffer(source, file, 2 * PageSize());
  void* const map = mmap(nullptr, buffer.bytes(), PROT_NONE, MAP_PRIVATE, file.get(),
                         static_cast<off_t>(buffer.Offset()));
  ASSERT_NE(map, MAP_FAILED) << strerror(errno);
  EXPECT_EQ(mprotect(map, buffer.bytes(), PROT_WRITE), -1);
  EXPECT_EQ(errno, EACCES);
  EXPECT_EQ(mprotect(map, buffer.bytes(), PROT_READ | PROT_WRITE), -1);
  EXPECT_EQ(errno, EACCES);
  EXPECT_EQ(mprotect(map, buffer.bytes(), PROT_READ), 0);
  munmap(map, buffer.bytes());
}

OFFSET_TEST(DmaBufFromInside,
            .property =
                "a dma-buf mapped from its second page on shows the object from its second "
                "page on, and past its end is EINVAL; by the file that start is EINVAL",
            .rules = "OFF-5", .guards = "BUG-47 BUG-65") {
  const UniqueFd file = Open();
  const Buffer buffer = Make(file, 4);
  const gpu::FileMapping whole(file.get(), buffer.Offset(), buffer.bytes());
  gpu::FillPattern(whole.span(), 41);
  const UniqueFd dma_buf = Exported(file.get(), buffer.handle());
  const gpu::FileMapping inside(dma_buf.get(), PageSize(), 3 * PageSize());
  const std::span<std::byte> rest = whole.span().subspan(PageSize());
  EXPECT_EQ(std::memcmp(inside.span().data(), rest.data(), rest.size()), 0);
  EXPECT_EQ(TryMap(dma_buf.get(), PageSize(), 4 * PageSize()), EINVAL);
  EXPECT_EQ(TryMap(dma_buf.get(), 4 * PageSize(), PageSize()), EINVAL);
  EXPECT_EQ(TryMap(file.get(), buffer.Offset() + PageSize(), 3 * PageSize()), EINVAL);
}

}  // namespace kfdcts::suites
