#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "thunk/src/topology/topology.h"
#include "thunk/test/topology/sample_trees.h"

/// Great trees, and trees that change while they are read.
namespace kfdcts::thunk::test {
namespace {

/// One CPU with links to `gpus` GPUs of gpu_ids 1000, 1001, …
FileTree GreatTree(std::uint32_t gpus) {
  FileTree tree;
  AddSystem(tree);
  AddCpuInfo(tree);
  AddCpuNode(tree, 0, gpus);
  for (std::uint32_t i = 1; i <= gpus; ++i) AddGpuNode(tree, i, 999 + i);
  return tree;
}

class GreatTopology : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(GreatTopology, EveryNodeIsThereInOrder) {
  FileTree tree = GreatTree(GetParam() - 1);
  const Topology topology = ReadAll(tree);
  ASSERT_EQ(topology.nodes().size(), GetParam());
  EXPECT_EQ(topology.sysfs_node_count(), GetParam());
  EXPECT_EQ(topology.nodes().at(0).links.size(), GetParam() - 1);
  EXPECT_EQ(topology.nodes().at(0).links.back().node_to, GetParam() - 1);
  for (std::uint32_t node = 1; node < GetParam(); ++node) {
    ASSERT_EQ(topology.nodes()[node].sysfs_id, node);
    ASSERT_EQ(topology.NodeOf(999 + node), node);
    ASSERT_EQ(topology.GpuIdOf(node), 999 + node);
  }
}

INSTANTIATE_TEST_SUITE_P(Nodes, GreatTopology, ::testing::Values(256, 10000));

// Kernels from before p2p_links had at most 256 nodes; more must not make links without end.
TEST(GreatTopology, NoLinksAreMadeUpAmongTooManyNodes) {
  FileTree tree = GreatTree(300);
  for (std::uint32_t node = 0; node <= 300; ++node) SetProperty(tree, node, "p2p_links_count", "");
  EXPECT_EQ(ReadAll(tree).nodes().at(1).links.size(), 1u);
}

/// Calls `change(n)` when the nth read of the whole is about to end.
void AtTheEndOfEachRead(FileTree& tree, std::function<void(int)> change) {
  tree.AfterRead([change = std::move(change), reads = 0](const std::string& file) mutable {
    if (file == OfNode(2, "properties")) change(++reads);
  });
}

TEST(ChangingTopology, IsReadAgainUntilItIsStill) {
  FileTree tree = TwoGpus();
  AtTheEndOfEachRead(tree, [&tree](int reads) {
    if (reads == 3) return;
    tree[Below("generation_id")] = std::to_string(5 + reads) + "\n";
    SetProperty(tree, 1, "location_id", std::to_string(100 + reads));
  });
  const Topology topology = ReadAll(tree);
  EXPECT_EQ(topology.nodes().at(1).numbers.location_id, 102u);
  EXPECT_EQ(topology.nodes().size(), 3u);
  EXPECT_EQ(tree.reads().at(OfNode(2, "properties")), 3);
}

TEST(ChangingTopology, ErrorOnTheWayCountsOnlyIfNothingChanged) {
  FileTree tree = TwoGpus();
  AtTheEndOfEachRead(tree, [&tree](int reads) {
    if (reads > 1) return;
    tree[Below("generation_id")] = "6\n";
    tree.Remove(OfNode(2, "mem_banks/0/properties"));
    SetProperty(tree, 2, "mem_banks_count", "0");
  });
  EXPECT_TRUE(ReadAll(tree).nodes().at(2).banks.empty());
}

TEST(ChangingTopology, WithoutEndIsAnError) {
  FileTree tree = TwoGpus();
  int all_reads = 0;
  AtTheEndOfEachRead(tree, [&tree, &all_reads](int reads) {
    all_reads = reads;
    tree[Below("generation_id")] = std::to_string(5 + reads) + "\n";
  });
  std::string text;
  EXPECT_EQ(ReadStatus(tree, &text), HSAKMT_STATUS_ERROR);
  EXPECT_EQ(all_reads, Topology::kMaxAttempts);
  EXPECT_NE(text.find("generation_id"), std::string::npos) << text;
}

}  // namespace
}  // namespace kfdcts::thunk::test
