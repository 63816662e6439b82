// Objects on GPUs: which, and what becomes of a mapping that fails half-way.
#include <cerrno>

#include "thunk/test/memory/memory_fixture.h"

namespace kfdcts::thunk {
namespace {

using Nodes = std::vector<HSAuint32>;

class MappingTest : public MemoryTest {
 protected:
  Nodes MappedTo(const void* address) { return MappedNodes(Query(address)); }
  HSAKMT_STATUS MapDefault(void* address) {
    HSAuint64 gpu_address = 0;
    return memory().Map(address, kPage, std::nullopt, &gpu_address);
  }
};

TEST_F(MappingTest, SystemMemoryGoesToEveryGpu) {
  void* const start = Allocate(0, kPage, Gtt());
  ASSERT_EQ(MapDefault(start), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(MappedTo(start), (Nodes{1, 2}));
}

TEST_F(MappingTest, DeviceMemoryGoesToItsGpuAndLinkedOnes) {
  void* const alone = Allocate(1, kPage, PrivateVram());
  ASSERT_EQ(MapDefault(alone), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(MappedTo(alone), Nodes{1});
  connection_->gpu(1).linked_nodes = {1};
  void* const linked = Allocate(2, kPage, PrivateVram());
  ASSERT_EQ(MapDefault(linked), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(MappedTo(linked), (Nodes{1, 2}));
}

TEST_F(MappingTest, AListIsWhatIsMapped) {
  void* const start = Allocate(0, kPage, Gtt());
  ASSERT_EQ(MapTo(start, kPage, {1, 2, 1}), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(MappedTo(start), (Nodes{1, 2}));
  ASSERT_EQ(MapTo(start, kPage, {2}), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(MappedTo(start), Nodes{2});
  EXPECT_EQ(kernel_.Holdings().gpu_mappings, 1U);
  EXPECT_EQ(MapTo(start, kPage, {0}), HSAKMT_STATUS_INVALID_NODE_UNIT);
  EXPECT_EQ(MapTo(start, kPage, {7}), HSAKMT_STATUS_INVALID_NODE_UNIT);
  EXPECT_EQ(MappedTo(start), Nodes{2});
}

TEST_F(MappingTest, AllGpusOrNone) {
  void* const start = Allocate(0, kPage, Gtt());
  kernel_.FailMappingOn(connection_->gpu(1).gpu_id, ENOMEM);
  EXPECT_EQ(MapDefault(start), HSAKMT_STATUS_ERROR);
  EXPECT_EQ(kernel_.Holdings().gpu_mappings, 0U);
  EXPECT_EQ(MappedTo(start), Nodes{});
  ASSERT_EQ(MapTo(start, kPage, {1}), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(MapTo(start, kPage, {2}), HSAKMT_STATUS_ERROR);
  EXPECT_EQ(MappedTo(start), Nodes{1});
  kernel_.FailMappingOn(connection_->gpu(1).gpu_id, 0);
  EXPECT_EQ(MapTo(start, kPage, {2}), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(MappedTo(start), Nodes{2});
}

// The way back fails, too: what the kernel still has is known, and goes with the next unmapping.
TEST_F(MappingTest, WhatCannotBeUndoneIsKnown) {
  void* const start = Allocate(0, kPage, Gtt());
  kernel_.FailMappingOn(connection_->gpu(1).gpu_id, ENOMEM);
  kernel_.FailNthOf(KfdCall(AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU), 1, ENOMEM);
  EXPECT_EQ(MapDefault(start), HSAKMT_STATUS_ERROR);
  EXPECT_EQ(MappedTo(start), Nodes{1});
  EXPECT_EQ(memory().Unmap(start), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(kernel_.Holdings().gpu_mappings, 0U);
  EXPECT_EQ(memory().Free(start, kPage), HSAKMT_STATUS_SUCCESS);
}

TEST_F(MappingTest, UnmappingTwiceIsNoError) {
  void* const start = Allocate(0, kPage, Gtt());
  EXPECT_EQ(memory().Unmap(start), HSAKMT_STATUS_SUCCESS);
  ASSERT_EQ(MapDefault(start), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(memory().Unmap(start), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(memory().Unmap(start), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(memory().Unmap(nullptr), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(memory().Unmap(this), HSAKMT_STATUS_ERROR);
}

TEST_F(MappingTest, NothingToMap) {
  HSAuint64 gpu_address = 1;
  EXPECT_EQ(memory().Map(nullptr, kPage, std::nullopt, &gpu_address), HSAKMT_STATUS_ERROR);
  EXPECT_EQ(MapDefault(this), HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(MapTo(this, kPage, {1}), HSAKMT_STATUS_ERROR);
  EXPECT_EQ(gpu_address, 0U);
}

}  // namespace
}  // namespace kfdcts::thunk
