// Buffers of a graphics driver, registered by their dma-buf.
#include <array>
#include <cstring>

#include "suites/support/graphics_buffer.h"
#include "suites/support/memory_test.h"

namespace kfdcts::suites {
namespace {

struct BufferCase {
  std::string_view name;
  bool in_vram;
  bool has_metadata;
};
constexpr BufferCase kBuffers[] = {
    {"vram_with_metadata", true, true},
    {"vram_without_metadata", true, false},
    {"system_with_metadata", false, true},
    {"system_without_metadata", false, false},
};
constexpr std::array<std::uint32_t, 4> kMetadata = {0x6b666463, 1, 2, 3};

/// A buffer of the test's GPU, registered to that GPU.
class GraphicsTest : public MemoryTest {
 protected:
  ~GraphicsTest() override = default;

  /// Registers a new buffer; the caller deregisters info.MemoryAddress.
  HsaGraphicsResourceInfo Register(const GraphicsBuffer& buffer) const {
    HsaGraphicsResourceInfo info{};
    HSAuint32 node = gpu().node_id;
    Check("hsaKmtRegisterGraphicsHandleToNodes",
          thunk().hsaKmtRegisterGraphicsHandleToNodes(static_cast<HSAuint64>(buffer.dma_buf()),
                                                      &info, 1, &node));
    return info;
  }

  std::size_t Size() const { return 4 * PageSize(); }
};

}  // namespace

KFD_TEST_CASES_F(PointerInfo, GraphicsType, GraphicsTest, kBuffers,
                 .property =
                     "a registered dma-buf is REGISTERED_GRAPHICS, with metadata of its own "
                     "or without, at its start and inside",
                 .rules = "PTR-6 PTR-9 PTR-11", .needs = {Capability::kRenderNode}) {
  GraphicsBuffer buffer(RenderMinor(), Size(), param().in_vram);
  if (param().has_metadata) buffer.SetMetadata(kMetadata);
  const HsaGraphicsResourceInfo graphics = Register(buffer);
  void* const address = graphics.MemoryAddress;
  EXPECT_EQ(Query(address).type, HSA_POINTER_REGISTERED_GRAPHICS);
  EXPECT_EQ(Query(static_cast<std::byte*>(address) + Size() - 1).type,
            HSA_POINTER_REGISTERED_GRAPHICS);
  EXPECT_EQ(thunk().hsaKmtDeregisterMemory(address), HSAKMT_STATUS_SUCCESS);
}

KFD_TEST_CASES_F(PointerInfo, GraphicsFields, GraphicsTest, kBuffers,
                 .property =
                     "a registered dma-buf has its size, node, address for the GPU and the "
                     "nodes it was registered to, and no address for the CPU",
                 .rules = "PTR-1 PTR-10 PTR-13", .needs = {Capability::kRenderNode}) {
  GraphicsBuffer buffer(RenderMinor(), Size(), param().in_vram);
  if (param().has_metadata) buffer.SetMetadata(kMetadata);
  const HsaGraphicsResourceInfo graphics = Register(buffer);
  void* const address = graphics.MemoryAddress;
  const PointerInfo info = Query(address);
  EXPECT_EQ(info.cpu_address, nullptr);
  EXPECT_EQ(info.gpu_address, reinterpret_cast<HSAuint64>(address));
  EXPECT_EQ(info.size, Size());
  EXPECT_EQ(info.node, gpu().node_id);
  EXPECT_EQ(RegisteredNodes(info), std::set<HSAuint32>{gpu().node_id});
  EXPECT_EQ(info.mapped_count, 0U);
  EXPECT_EQ(thunk().hsaKmtDeregisterMemory(address), HSAKMT_STATUS_SUCCESS);
}

KFD_TEST_F(PointerInfo, GraphicsDeregistered, GraphicsTest,
           .property = "a deregistered dma-buf is unknown", .rules = "PTR-3",
           .needs = {Capability::kRenderNode}) {
  const GraphicsBuffer buffer(RenderMinor(), Size(), true);
  void* const address = Register(buffer).MemoryAddress;
  ASSERT_TRUE(Query(address).Found());
  ASSERT_EQ(thunk().hsaKmtDeregisterMemory(address), HSAKMT_STATUS_SUCCESS);
  EXPECT_TRUE(Query(address).Unknown());
}

KFD_TEST_F(PointerInfo, GraphicsMapped, GraphicsTest,
           .property = "a registered dma-buf that is mapped lists the node", .rules = "PTR-13",
           .needs = {Capability::kRenderNode}) {
  const GraphicsBuffer buffer(RenderMinor(), Size(), true);
  void* const address = Register(buffer).MemoryAddress;
  HSAuint64 gpu_address = 0;
  EXPECT_EQ(thunk().hsaKmtMapMemoryToGPU(address, Size(), &gpu_address), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(MappedNodes(Query(address)), std::set<HSAuint32>{gpu().node_id});
  EXPECT_EQ(thunk().hsaKmtUnmapMemoryToGPU(address), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(thunk().hsaKmtDeregisterMemory(address), HSAKMT_STATUS_SUCCESS);
}

}  // namespace kfdcts::suites
