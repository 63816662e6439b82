// Objects with several traits: the first of PTR-9's list is their type.
#include <array>

#include "suites/support/graphics_buffer.h"
#include "suites/support/shared_test.h"

namespace kfdcts::suites {
namespace {

constexpr std::array<std::uint32_t, 4> kMetadata = {0x6b666463, 5, 6, 7};

/// A registered dma-buf, deregistered in the end.
class Graphics {
 public:
  Graphics(const harness::ThunkApi& thunk, int dma_buf, HSAuint32 node) : thunk_(thunk) {
    Check("hsaKmtRegisterGraphicsHandleToNodes",
          thunk.hsaKmtRegisterGraphicsHandleToNodes(static_cast<HSAuint64>(dma_buf), &info_, 1,
                                                    &node));
  }
  ~Graphics() {
    if (info_.MemoryAddress != nullptr) Deregister();
  }
  Graphics(const Graphics&) = delete;
  Graphics& operator=(const Graphics&) = delete;

  void* address() const { return info_.MemoryAddress; }
  HSAuint64 size() const { return info_.SizeInBytes; }
  HSAKMT_STATUS Deregister() {
    return thunk_.hsaKmtDeregisterMemory(std::exchange(info_.MemoryAddress, nullptr));
  }

 private:
  const harness::ThunkApi& thunk_;
  HsaGraphicsResourceInfo info_{};
};

struct MetadataCase {
  std::string_view name;
  bool has_metadata;
};
constexpr MetadataCase kMetadataCases[] = {{"with_metadata", true}, {"without_metadata", false}};

}  // namespace

KFD_TEST_CASES_F(PointerInfo, SharedBeforeGraphics, SharedTest, kMetadataCases,
                 .property =
                     "a registered dma-buf that is shared is GRAPHICS for its exporter and SHARED "
                     "for its importer, whatever metadata the buffer has",
                 .rules = "PTR-9 PTR-6 PTR-7", .scope = Scope::kFirstGpu,
                 .needs = {Capability::kSharedMemory, Capability::kRenderNode}) {
  GraphicsBuffer buffer(RenderMinor(), 2 * PageSize(), true);
  if (param().has_metadata) buffer.SetMetadata(kMetadata);
  const Graphics graphics(thunk(), buffer.dma_buf(), gpu().node_id);
  const SharedHandle handle = suites::Share(thunk(), graphics.address(), graphics.size());
  EXPECT_EQ(Query(graphics.address()).type, HSA_POINTER_REGISTERED_GRAPHICS);
  InPeer([&] {
    const Import import(thunk(), handle);
    EXPECT_EQ(Query(import.address()).type, HSA_POINTER_REGISTERED_SHARED);
  });
}

KFD_TEST_F(PointerInfo, SharedOfShared, SharedTest,
           .property = "imported memory that is shared on is SHARED for both importers",
           .rules = "PTR-9 PTR-7", .scope = Scope::kFirstGpu,
           .needs = {Capability::kSharedMemory}) {
  const Allocation memory = Allocate(MemoryKind::kVram);
  const SharedHandle handle = Share(memory);
  InPeer([&] {
    const Import first(thunk(), handle);
    const SharedHandle onward = suites::Share(thunk(), first.address(), first.size());
    InPeer([&] {
      const Import second(thunk(), onward);
      const PointerInfo info = Query(second.address());
      EXPECT_EQ(info.type, HSA_POINTER_REGISTERED_SHARED);
      EXPECT_EQ(info.size, memory.size());
    });
    EXPECT_EQ(Query(first.address()).type, HSA_POINTER_REGISTERED_SHARED);
  });
}

KFD_TEST_F(PointerInfo, SharedWithOneself, SharedTest,
           .property =
               "memory that a process imports from itself is a second object, SHARED, beside the "
               "ALLOCATED one",
           .rules = "PTR-9 PTR-7 PTR-4", .scope = Scope::kFirstGpu,
           .needs = {Capability::kSharedMemory}) {
  const Allocation memory = Allocate(MemoryKind::kVram);
  const Import import(thunk(), Share(memory));
  EXPECT_NE(import.address(), memory.address());
  EXPECT_EQ(Query(import.address()).type, HSA_POINTER_REGISTERED_SHARED);
  EXPECT_EQ(Query(memory.address()).type, HSA_POINTER_ALLOCATED);
}

KFD_TEST_F(PointerInfo, GraphicsOfSharedDmaBuf, SharedTest,
           .property =
               "a dma-buf of imported memory that is registered is GRAPHICS, beside the SHARED one",
           .rules = "PTR-9 PTR-6 PTR-7", .scope = Scope::kFirstGpu,
           .needs = {Capability::kSharedMemory, Symbol{"hsaKmtExportDMABufHandle"}}) {
  const Allocation memory = Allocate(MemoryKind::kVram);
  const SharedHandle handle = Share(memory);
  InPeer([&] {
    const Import import(thunk(), handle);
    const DmaBuf buffer(thunk(), import.address(), import.size());
    const Graphics graphics(thunk(), buffer.fd(), gpu().node_id);
    EXPECT_EQ(Query(graphics.address()).type, HSA_POINTER_REGISTERED_GRAPHICS);
    EXPECT_EQ(Query(import.address()).type, HSA_POINTER_REGISTERED_SHARED);
  });
}

KFD_TEST_CASES_F(PointerInfo, GraphicsOfAllocation, SharedTest, kSharedKinds,
                 .property =
                     "a dma-buf of allocated memory that is registered is a second object, "
                     "GRAPHICS, beside the ALLOCATED one",
                 .rules = "PTR-9 PTR-6 PTR-4", .needs = {Symbol{"hsaKmtExportDMABufHandle"}}) {
  const Allocation memory = Allocate(param().kind);
  const DmaBuf buffer(thunk(), memory.address(), memory.size());
  Graphics graphics(thunk(), buffer.fd(), gpu().node_id);
  void* const address = graphics.address();
  EXPECT_NE(address, memory.address());
  EXPECT_EQ(Query(address).type, HSA_POINTER_REGISTERED_GRAPHICS);
  EXPECT_EQ(Query(memory.address()).type, HSA_POINTER_ALLOCATED);
  EXPECT_EQ(graphics.Deregister(), HSAKMT_STATUS_SUCCESS);
  EXPECT_TRUE(Query(address).Unknown());
  EXPECT_EQ(Query(memory.address()).type, HSA_POINTER_ALLOCATED);
}

KFD_TEST_CASES_F(PointerInfo, GraphicsTwice, SharedTest, kMetadataCases,
                 .property =
                     "a dma-buf registered twice is two objects, each GRAPHICS until its own "
                     "deregistration",
                 .rules = "PTR-6 PTR-9 PTR-26", .needs = {Capability::kRenderNode}) {
  GraphicsBuffer buffer(RenderMinor(), 2 * PageSize(), true);
  if (param().has_metadata) buffer.SetMetadata(kMetadata);
  const Graphics kept(thunk(), buffer.dma_buf(), gpu().node_id);
  Graphics gone(thunk(), buffer.dma_buf(), gpu().node_id);
  void* const address = gone.address();
  EXPECT_NE(address, kept.address());
  EXPECT_EQ(Query(address).type, HSA_POINTER_REGISTERED_GRAPHICS);
  EXPECT_EQ(gone.Deregister(), HSAKMT_STATUS_SUCCESS);
  EXPECT_TRUE(Query(address).Unknown());
  EXPECT_EQ(Query(kept.address()).type, HSA_POINTER_REGISTERED_GRAPHICS);
}

KFD_TEST_F(
    PointerInfo, GraphicsOfBothGpus, SharedTest,
    .property = "buffers of two GPUs, one with metadata, are each GRAPHICS on their own node",
    .rules = "PTR-6 PTR-9 PTR-1", .scope = Scope::kEachGpuPair,
    .needs = {Capability::kRenderNode}) {
  const auto minor = [&](std::size_t which) {
    return static_cast<int>(gpu(which).facts.Property("drm_render_minor"));
  };
  GraphicsBuffer with(minor(0), PageSize(), true);
  with.SetMetadata(kMetadata);
  const GraphicsBuffer without(minor(1), PageSize(), true);
  const Graphics first(thunk(), with.dma_buf(), gpu(0).node_id);
  const Graphics second(thunk(), without.dma_buf(), gpu(1).node_id);
  EXPECT_EQ(Query(first.address()).type, HSA_POINTER_REGISTERED_GRAPHICS);
  EXPECT_EQ(Query(first.address()).node, gpu(0).node_id);
  EXPECT_EQ(Query(second.address()).type, HSA_POINTER_REGISTERED_GRAPHICS);
  EXPECT_EQ(Query(second.address()).node, gpu(1).node_id);
}

// What graphics metadata there is stays apart from what was registered.
KFD_TEST_F(PointerInfo, EveryTypeAtOnce, SharedTest,
           .property = "objects of every type side by side are each of their own type",
           .rules = "PTR-9 PTR-4 PTR-5 PTR-6", .scope = Scope::kFirstGpu,
           .needs = {Capability::kRenderNode}, .environment = {"HSA_USE_SVM=0"}) {
  const HostPages pages(2);
  const Registration user(thunk(), pages.At(33), PageSize());
  GraphicsBuffer buffer(RenderMinor(), PageSize(), true);
  buffer.SetMetadata(kMetadata);
  const Graphics graphics(thunk(), buffer.dma_buf(), gpu().node_id);
  std::vector<Allocation> allocated;
  for (const KindCase& one : kEveryKind) allocated.push_back(Allocate(one.kind));
  EXPECT_EQ(Query(pages.At(33)).type, HSA_POINTER_REGISTERED_USER);
  EXPECT_EQ(Query(graphics.address()).type, HSA_POINTER_REGISTERED_GRAPHICS);
  for (const Allocation& memory : allocated) {
    EXPECT_EQ(Query(memory.address()).type, HSA_POINTER_ALLOCATED);
  }
}

KFD_TEST_CASES_F(PointerInfo, UserPointerInAllocation, SharedTest, kEveryKind,
                 .property =
                     "memory of hsaKmtAllocMemory, or a part of it, that is registered as user "
                     "memory is refused and stays ALLOCATED",
                 .rules = "PTR-9 PTR-4", .guards = "BUG-25", .scope = Scope::kFirstGpu,
                 .environment = {"HSA_USE_SVM=0"}) {
  const Allocation memory = Allocate(param().kind);
  const PointerInfo before = Query(memory.address());
  EXPECT_NE(thunk().hsaKmtRegisterMemory(memory.address(), memory.size()), HSAKMT_STATUS_SUCCESS);
  EXPECT_NE(thunk().hsaKmtRegisterMemory(memory.At(64), 128), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Query(memory.address()), before);
  EXPECT_EQ(Query(memory.At(64)), before);
}

}  // namespace kfdcts::suites
