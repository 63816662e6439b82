#include "thunk/src/topology/topology.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "thunk/test/topology/sample_trees.h"

namespace kfdcts::thunk::test {
namespace {

constexpr std::uint32_t kFirstGpu = 52673;
constexpr std::uint32_t kSecondGpu = 44485;

TEST(Topology, NodesAreNumberedAsInSysfs) {
  FileTree tree = TwoGpus();
  const Topology topology = ReadAll(tree);
  ASSERT_EQ(topology.nodes().size(), 3u);
  EXPECT_EQ(topology.sysfs_node_count(), 3u);
  EXPECT_EQ(topology.nodes().at(0).gpu_id, 0u);
  EXPECT_EQ(topology.nodes().at(1).gpu_id, kFirstGpu);
  EXPECT_EQ(topology.nodes().at(2).sysfs_id, 2u);
  EXPECT_FALSE(topology.nodes().at(0).is_gpu());
  EXPECT_TRUE(topology.nodes().at(2).is_gpu());
}

TEST(Topology, SystemPropertiesKeepTheir64Bits) {
  FileTree tree = TwoGpus();
  const Topology topology = ReadAll(tree);
  EXPECT_EQ(topology.system().platform_oem, 2314885531408816194u);
  EXPECT_EQ(topology.system().platform_id, 35542066745154u);
  EXPECT_EQ(topology.system().platform_rev, 1u);
}

TEST(Topology, GpusAreFoundByIdAndBack) {
  FileTree tree = TwoGpus();
  const Topology topology = ReadAll(tree);
  EXPECT_EQ(topology.NodeOf(kFirstGpu), 1u);
  EXPECT_EQ(topology.NodeOf(kSecondGpu), 2u);
  EXPECT_EQ(topology.NodeOf(kFirstGpu + 1), std::nullopt);
  EXPECT_EQ(topology.NodeOf(0), std::nullopt);
  EXPECT_EQ(topology.GpuIdOf(0), 0u);
  EXPECT_EQ(topology.GpuIdOf(2), kSecondGpu);
  EXPECT_EQ(topology.GpuIdOf(3), std::nullopt);
  EXPECT_EQ(topology.Find(3), nullptr);
}

TEST(Topology, NodeNumbersAreReadByKey) {
  FileTree tree = TwoGpus();
  const Topology topology = ReadAll(tree);
  const NodeNumbers& gpu = topology.nodes().at(1).numbers;
  EXPECT_EQ(gpu.simd_count, 256u);
  EXPECT_EQ(gpu.simd_id_base, 2147487744u);
  EXPECT_EQ(gpu.device_id, 26723u);
  EXPECT_EQ(gpu.capability, 134455936u);
  EXPECT_EQ(gpu.debug_prop, 1494u);
  EXPECT_EQ(gpu.gfx_target_version, 90000u);
  EXPECT_EQ(topology.nodes().at(0).numbers.cpu_cores_count, 2u);
}

TEST(Topology, BanksAndCachesAreRead) {
  FileTree tree = TwoGpus();
  const Topology topology = ReadAll(tree);
  const Node& gpu = topology.nodes().at(1);
  ASSERT_EQ(gpu.banks.size(), 1u);
  EXPECT_EQ(gpu.banks.at(0).heap_type, 1u);
  EXPECT_EQ(gpu.banks.at(0).size_in_bytes, 256u << 20);
  EXPECT_EQ(gpu.banks.at(0).width, 2048u);
  EXPECT_EQ(gpu.banks.at(0).mem_clk_max, 100u);
  ASSERT_EQ(gpu.caches.size(), 2u);
  EXPECT_EQ(gpu.caches.at(1).processor_id_low, 2147487744u);
  EXPECT_EQ(gpu.caches.at(1).level, 2u);
  EXPECT_EQ(gpu.caches.at(1).size, 4096u);
  EXPECT_EQ(gpu.caches.at(1).cache_line_size, 64u);
  EXPECT_EQ(gpu.caches.at(1).type, 9u);
  EXPECT_EQ(gpu.caches.at(1).sibling_map, (std::vector<std::uint32_t>{1, 0, 1, 0}));
}

TEST(Topology, LinksAreRead) {
  FileTree tree = TwoGpus();
  const Topology topology = ReadAll(tree);
  ASSERT_EQ(topology.nodes().at(0).links.size(), 2u);
  const IoLink& link = topology.nodes().at(0).links.at(1);
  EXPECT_EQ(link.type, 2u);
  EXPECT_EQ(link.version_major, 3u);
  EXPECT_EQ(link.version_minor, 4u);
  EXPECT_EQ(link.node_from, 0u);
  EXPECT_EQ(link.node_to, 2u);
  EXPECT_EQ(link.weight, 20u);
  EXPECT_EQ(link.min_latency, 5u);
  EXPECT_EQ(link.max_latency, 6u);
  EXPECT_EQ(link.min_bandwidth, 312u);
  EXPECT_EQ(link.max_bandwidth, 10000u);
  EXPECT_EQ(link.recommended_transfer_size, 7u);
  EXPECT_EQ(link.recommended_sdma_engine_id_mask, 3u);
  EXPECT_EQ(link.flags, 13u);
}

TEST(Topology, PeerLinksFollowTheOthers) {
  FileTree tree = TwoGpus();
  SetProperty(tree, 1, "p2p_links_count", "1");
  AddLink(tree, 1, 0, 2, "p2p_links", 40);
  const Topology topology = ReadAll(tree);
  ASSERT_EQ(topology.nodes().at(1).links.size(), 2u);
  EXPECT_EQ(topology.nodes().at(1).links.at(1).node_to, 2u);
  EXPECT_EQ(topology.nodes().at(1).links.at(1).weight, 40u);
  EXPECT_EQ(topology.nodes().at(2).links.size(), 1u);
}

TEST(Topology, CpuAlone) {
  FileTree tree;
  AddSystem(tree);
  AddCpuInfo(tree);
  AddCpuNode(tree, 0, 0);
  const Topology topology = ReadAll(tree);
  ASSERT_EQ(topology.nodes().size(), 1u);
  EXPECT_EQ(topology.nodes().at(0).cpu_model, "QEMU TCG CPU version 2.5+");
  EXPECT_TRUE(topology.nodes().at(0).links.empty());
  EXPECT_EQ(topology.NodeOf(0), std::nullopt);
}

// An APU of the old form: CPU cores and SIMDs in one node, which has a gpu_id.
TEST(Topology, MergedNodeOfAnApuIsBoth) {
  FileTree tree;
  AddSystem(tree);
  AddCpuInfo(tree);
  AddGpuNode(tree, 0, kFirstGpu);
  SetProperty(tree, 0, "cpu_cores_count", "4");
  SetProperty(tree, 0, "io_links_count", "0");
  const Topology topology = ReadAll(tree);
  ASSERT_EQ(topology.nodes().size(), 1u);
  EXPECT_TRUE(topology.nodes().at(0).is_gpu());
  EXPECT_EQ(topology.nodes().at(0).cpu_model, "QEMU TCG CPU version 2.5+");
  EXPECT_EQ(topology.NodeOf(kFirstGpu), 0u);
}

// Property: a whole read reads each file once, and generation_id twice.
TEST(Topology, EachFileIsReadOnce) {
  FileTree tree = TwoGpus();
  ReadAll(tree);
  for (const auto& [file, times] : tree.reads()) {
    EXPECT_EQ(times, file == Below("generation_id") ? 2 : 1) << file;
  }
  EXPECT_EQ(tree.reads().count(OfNode(1, "name")), 0u);
  EXPECT_EQ(tree.reads().count(OfNode(2, "caches/1/properties")), 1u);
}

}  // namespace
}  // namespace kfdcts::thunk::test
