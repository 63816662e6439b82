// User data of a registered dma-buf.
#include "suites/support/graphics_buffer.h"
#include "suites/support/memory_test.h"

namespace kfdcts::suites {

KFD_TEST_F(UserData, OfGraphicsBuffer, MemoryTest,
           .property = "user data of a registered dma-buf is in the next answer", .rules = "USR-1",
           .needs = {Capability::kRenderNode}) {
  const GraphicsBuffer buffer(RenderMinor(), 2 * PageSize(), true);
  HsaGraphicsResourceInfo graphics{};
  HSAuint32 node = gpu().node_id;
  Check("hsaKmtRegisterGraphicsHandleToNodes",
        thunk().hsaKmtRegisterGraphicsHandleToNodes(static_cast<HSAuint64>(buffer.dma_buf()),
                                                    &graphics, 1, &node));
  void* const address = graphics.MemoryAddress;
  EXPECT_EQ(Query(address).user_data, nullptr);
  EXPECT_EQ(thunk().hsaKmtSetMemoryUserData(address, &node), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Query(address).user_data, &node);
  EXPECT_EQ(thunk().hsaKmtDeregisterMemory(address), HSAKMT_STATUS_SUCCESS);
}

}  // namespace kfdcts::suites
