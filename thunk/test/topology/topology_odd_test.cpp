#include <gtest/gtest.h>

#include <cerrno>
#include <string>
#include <tuple>

#include "thunk/src/topology/topology.h"
#include "thunk/test/topology/sample_trees.h"

/// Trees that no kernel should make, and those of containers.
namespace kfdcts::thunk::test {
namespace {

using ::testing::Combine;
using ::testing::TestWithParam;
using ::testing::Values;

TEST(OddTopology, NoLineHidesTheOnesAfterIt) {
  FileTree tree = TwoGpus();
  tree[OfNode(1, "properties")] =
      "name vega10\nsimd_count\n\nvendor_id 0x1002\n  device_id \t 26723 \nfw_version 12.5\n"
      "unheard_of 99\nlocal_mem_size 18446744073709551615\nhive_id 99999999999999999999\n"
      "drm_render_minor -1\nunique_id 7\nunique_id 8\nlocation_id 32";
  const Topology topology = ReadAll(tree);
  const NodeNumbers& gpu = topology.nodes().at(1).numbers;
  EXPECT_EQ(gpu.simd_count, 0u);
  EXPECT_EQ(gpu.vendor_id, 0u);
  EXPECT_EQ(gpu.device_id, 26723u);
  EXPECT_EQ(gpu.fw_version, 0u);
  EXPECT_EQ(gpu.local_mem_size, 18446744073709551615u);
  EXPECT_EQ(gpu.hive_id, 0u);
  EXPECT_EQ(gpu.drm_render_minor, 18446744073709551615u);
  EXPECT_EQ(gpu.unique_id, 8u);
  EXPECT_EQ(gpu.location_id, 32u);
}

TEST(OddTopology, FilesMayBeLongerThanAPage) {
  FileTree tree = TwoGpus();
  std::string& text = tree[OfNode(1, "properties")];
  for (int i = 0; i < 1000; ++i) text.insert(0, "padding_" + std::to_string(i) + " 1\n");
  EXPECT_EQ(ReadAll(tree).nodes().at(1).numbers.num_xcc, 1u);
}

TEST(OddTopology, StrayEntriesOfNodesAreNotNodes) {
  FileTree tree = TwoGpus();
  for (const char* name : {"readme", "1.bak", "-1", "01", "4294967296", "+3", "0x4"}) {
    tree[Below("nodes/" + std::string(name))] = "7\n";
  }
  const Topology topology = ReadAll(tree);
  EXPECT_EQ(topology.nodes().size(), 3u);
  EXPECT_EQ(topology.sysfs_node_count(), 3u);
}

TEST(OddTopology, GapsInTheNumbersAreClosed) {
  FileTree tree;
  AddSystem(tree);
  AddCpuNode(tree, 0, 0);
  AddGpuNode(tree, 7, 100);
  AddGpuNode(tree, 10, 200);
  const Topology topology = ReadAll(tree);
  ASSERT_EQ(topology.nodes().size(), 3u);
  EXPECT_EQ(topology.nodes().at(1).sysfs_id, 7u);
  EXPECT_EQ(topology.nodes().at(2).sysfs_id, 10u);
  EXPECT_EQ(topology.NodeOf(200), 2u);
  EXPECT_EQ(topology.nodes().at(2).links.at(0).node_from, 2u);
}

// As in a container whose device cgroup denies the first GPU.
TEST(OddTopology, NodeThatTheKernelRefusesIsLeftOut) {
  FileTree tree = TwoGpus();
  tree.Refuse(OfNode(1, "gpu_id"), EPERM);
  tree.Refuse(OfNode(1, "properties"), EPERM);
  tree.Refuse(OfNode(0, "io_links/0/properties"), EPERM);
  const Topology topology = ReadAll(tree);
  ASSERT_EQ(topology.nodes().size(), 2u);
  EXPECT_EQ(topology.sysfs_node_count(), 3u);
  EXPECT_EQ(topology.nodes().at(1).sysfs_id, 2u);
  EXPECT_EQ(topology.NodeOf(44485), 1u);
  EXPECT_EQ(topology.NodeOf(52673), std::nullopt);
  ASSERT_EQ(topology.nodes().at(0).links.size(), 1u);
  EXPECT_EQ(topology.nodes().at(0).links.at(0).node_to, 1u);
  EXPECT_EQ(topology.nodes().at(1).links.at(0).node_from, 1u);
}

TEST(OddTopology, GpuThatTheCheckDropsIsLeftOut) {
  FileTree tree = TwoGpus();
  SetProperty(tree, 1, "drm_render_minor", "129");
  const TopologyResult result = Topology::Read(tree, [](const Node& gpu) {
    return gpu.numbers.drm_render_minor == 129 ? GpuVerdict::kDrop : GpuVerdict::kUse;
  });
  ASSERT_NE(result.topology, nullptr) << result.error;
  ASSERT_EQ(result.topology->nodes().size(), 2u);
  EXPECT_EQ(result.topology->nodes().at(1).gpu_id, 44485u);
  EXPECT_EQ(result.topology->nodes().at(0).links.size(), 1u);
}

TEST(OddTopology, GpuOnWhichTheCheckFailsFailsTheRead) {
  FileTree tree = TwoGpus();
  const TopologyResult result = Topology::Read(tree, [](const Node&) { return GpuVerdict::kFail; });
  EXPECT_EQ(result.status, HSAKMT_STATUS_ERROR);
  EXPECT_EQ(result.topology, nullptr);
}

TEST(OddTopology, LinkToANodeThatIsNotThereIsSkipped) {
  FileTree tree = TwoGpus();
  AddLink(tree, 0, 0, 99);
  const Topology topology = ReadAll(tree);
  ASSERT_EQ(topology.nodes().at(0).links.size(), 1u);
  EXPECT_EQ(topology.nodes().at(0).links.at(0).node_to, 2u);
}

TEST(OddTopology, LinkOfAnotherNodeFailsTheRead) {
  FileTree tree = TwoGpus();
  tree[OfNode(1, "io_links/0/properties")] = "node_from 2\nnode_to 0\n";
  EXPECT_EQ(ReadStatus(tree), HSAKMT_STATUS_INVALID_NODE_UNIT);
}

TEST(OddTopology, MissingKeysAreZero) {
  FileTree tree = TwoGpus();
  tree[OfNode(1, "mem_banks/0/properties")] = "heap_type 2\n";
  tree[OfNode(1, "io_links/0/properties")] = "weight 1\n";
  const Topology topology = ReadAll(tree);
  EXPECT_EQ(topology.nodes().at(1).banks.at(0).heap_type, 2u);
  EXPECT_EQ(topology.nodes().at(1).banks.at(0).size_in_bytes, 0u);
  EXPECT_EQ(topology.nodes().at(1).links.at(0).node_from, 1u);
  EXPECT_EQ(topology.nodes().at(1).links.at(0).node_to, 0u);
}

TEST(OddTopology, GpuWithoutCachesGetsNotTheCpus) {
  FileTree tree = TwoGpus();
  SetProperty(tree, 1, "caches_count", "0");
  tree["/sys/devices/system/node/node1/cpu0/cache/index0/level"] = "1\n";
  EXPECT_TRUE(ReadAll(tree).nodes().at(1).caches.empty());
}

TEST(OddTopology, FirstOfTwoNodesWithOneGpuIdIsFound) {
  FileTree tree = TwoGpus();
  tree[OfNode(2, "gpu_id")] = "52673\n";
  EXPECT_EQ(ReadAll(tree).NodeOf(52673), 1u);
}

TEST(OddTopology, NoNodesAtAll) {
  FileTree tree;
  AddSystem(tree);
  tree[Below("nodes/uevent")] = "";
  const Topology topology = ReadAll(tree);
  EXPECT_TRUE(topology.nodes().empty());
  EXPECT_EQ(topology.GpuIdOf(0), std::nullopt);
}

struct Promised {
  const char* name;
  std::string path;
};

class PromisedFile : public TestWithParam<Promised> {};

/// Property: a file that must be there is an error when it is missing, unreadable or empty, and the
/// error names it.
TEST_P(PromisedFile, Missing) {
  FileTree tree = TwoGpus();
  tree.Remove(GetParam().path);
  std::string text;
  EXPECT_EQ(ReadStatus(tree, &text), HSAKMT_STATUS_ERROR);
  EXPECT_NE(text.find(GetParam().path), std::string::npos) << text;
}

TEST_P(PromisedFile, Unreadable) {
  FileTree tree = TwoGpus();
  tree.Refuse(GetParam().path, EIO);
  EXPECT_EQ(ReadStatus(tree), HSAKMT_STATUS_ERROR);
}

TEST_P(PromisedFile, Empty) {
  FileTree tree = TwoGpus();
  tree[GetParam().path].clear();
  EXPECT_EQ(ReadStatus(tree), HSAKMT_STATUS_ERROR);
}

INSTANTIATE_TEST_SUITE_P(OddTopology, PromisedFile,
                         Values(Promised{"generation", Below("generation_id")},
                                Promised{"system", Below("system_properties")},
                                Promised{"gpu_id", OfNode(1, "gpu_id")},
                                Promised{"node", OfNode(1, "properties")},
                                Promised{"bank", OfNode(1, "mem_banks/0/properties")},
                                Promised{"cache", OfNode(1, "caches/1/properties")},
                                Promised{"link", OfNode(1, "io_links/0/properties")}),
                         [](const auto& promised) { return promised.param.name; });

class GarbledNumber : public TestWithParam<const char*> {};

TEST_P(GarbledNumber, AsGpuId) {
  FileTree tree = TwoGpus();
  tree[OfNode(1, "gpu_id")] = GetParam();
  EXPECT_EQ(ReadStatus(tree), HSAKMT_STATUS_ERROR);
}

INSTANTIATE_TEST_SUITE_P(OddTopology, GarbledNumber,
                         Values("many\n", "-1\n", "4294967296\n", "12x\n", "\n"));

class GreatCount : public TestWithParam<std::tuple<const char*, const char*>> {};

/// Property: counts are believed only as far as there are files.
TEST_P(GreatCount, EndsAtTheFirstMissingFile) {
  const auto& [key, count] = GetParam();
  FileTree tree = TwoGpus();
  SetProperty(tree, 1, key, count);
  EXPECT_EQ(ReadStatus(tree), HSAKMT_STATUS_ERROR);
}

INSTANTIATE_TEST_SUITE_P(OddTopology, GreatCount,
                         Combine(Values("mem_banks_count", "caches_count", "io_links_count",
                                        "p2p_links_count"),
                                 Values("3", "4294967295", "18446744073709551615", "-1")));

}  // namespace
}  // namespace kfdcts::thunk::test
