#include "thunk/src/topology/indirect_links.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "hsakmt/hsakmttypes.h"

namespace kfdcts::thunk {
namespace {

constexpr std::uint64_t kBus = 20;

Node Cpu() { return {}; }

Node Gpu(std::uint64_t heap = HSA_HEAPTYPE_FRAME_BUFFER_PUBLIC) {
  Node node;
  node.gpu_id = 1;
  node.banks.push_back({.heap_type = heap});
  return node;
}

IoLink Link(std::uint64_t from, std::uint64_t to, std::uint64_t weight, std::uint64_t type) {
  IoLink link;
  link.node_from = from;
  link.node_to = to;
  link.weight = weight;
  link.type = type;
  return link;
}

void Connect(std::vector<Node>& nodes, std::size_t a, std::size_t b, std::uint64_t weight = kBus,
             std::uint64_t type = HSA_IOLINKTYPE_PCIEXPRESS) {
  nodes[a].links.push_back(Link(a, b, weight, type));
  nodes[b].links.push_back(Link(b, a, weight, type));
}

void ExpectLink(const IoLink& link, std::uint64_t from, std::uint64_t to, std::uint64_t weight,
                std::uint64_t type) {
  EXPECT_EQ(link.node_from, from);
  EXPECT_EQ(link.node_to, to);
  EXPECT_EQ(link.weight, weight);
  EXPECT_EQ(link.type, type);
}

/// CPU 0 with GPUs 1 and 2.
std::vector<Node> OneSocket(const Node& first = Gpu(), const Node& second = Gpu()) {
  std::vector<Node> nodes = {Cpu(), first, second};
  Connect(nodes, 0, 1);
  Connect(nodes, 0, 2);
  return nodes;
}

/// CPUs 0 and 1, GPU 2 at the first, GPU 3 at the second.
std::vector<Node> TwoSockets(std::uint64_t weight, std::uint64_t type) {
  std::vector<Node> nodes = {Cpu(), Cpu(), Gpu(), Gpu()};
  Connect(nodes, 0, 1, weight, type);
  Connect(nodes, 0, 2);
  Connect(nodes, 1, 3);
  return nodes;
}

TEST(IndirectLinks, BetweenGpusOfOneCpu) {
  auto nodes = OneSocket();
  AddIndirectLinks(nodes);
  EXPECT_EQ(nodes[0].links.size(), 2u);
  ASSERT_EQ(nodes[1].links.size(), 2u);
  ExpectLink(nodes[1].links[1], 1, 2, 40, HSA_IOLINKTYPE_PCIEXPRESS);
  ASSERT_EQ(nodes[2].links.size(), 2u);
  ExpectLink(nodes[2].links[1], 2, 1, 40, HSA_IOLINKTYPE_PCIEXPRESS);
}

TEST(IndirectLinks, OnlyToVramThatTheCpuCanMap) {
  auto nodes = OneSocket(Gpu(), Gpu(HSA_HEAPTYPE_FRAME_BUFFER_PRIVATE));
  AddIndirectLinks(nodes);
  EXPECT_EQ(nodes[1].links.size(), 1u);
  ASSERT_EQ(nodes[2].links.size(), 2u);
  ExpectLink(nodes[2].links[1], 2, 1, 40, HSA_IOLINKTYPE_PCIEXPRESS);
}

TEST(IndirectLinks, NotWithinAHive) {
  auto nodes = OneSocket();
  nodes[1].numbers.hive_id = nodes[2].numbers.hive_id = 77;
  AddIndirectLinks(nodes);
  EXPECT_EQ(nodes[1].links.size(), 1u);
  nodes[2].numbers.hive_id = 78;
  AddIndirectLinks(nodes);
  EXPECT_EQ(nodes[1].links.size(), 2u);
}

TEST(IndirectLinks, AcrossSockets) {
  auto nodes = TwoSockets(32, HSA_IOLINKTYPE_HYPERTRANSPORT);
  AddIndirectLinks(nodes);
  // CPU 0 to GPU 3, GPU 2 to CPU 1 and to GPU 3, and back.
  ASSERT_EQ(nodes[0].links.size(), 3u);
  ExpectLink(nodes[0].links[2], 0, 3, 52, HSA_IOLINKTYPE_HYPERTRANSPORT);
  ASSERT_EQ(nodes[2].links.size(), 3u);
  ExpectLink(nodes[2].links[1], 2, 1, 52, HSA_IOLINKTYPE_HYPERTRANSPORT);
  ExpectLink(nodes[2].links[2], 2, 3, 72, HSA_IOLINKTYPE_HYPERTRANSPORT);
  ASSERT_EQ(nodes[3].links.size(), 3u);
  ExpectLink(nodes[3].links[1], 3, 0, 52, HSA_IOLINKTYPE_HYPERTRANSPORT);
  ExpectLink(nodes[3].links[2], 3, 2, 72, HSA_IOLINKTYPE_HYPERTRANSPORT);
}

TEST(IndirectLinks, GpusDoNotReachEachOtherOverQpi) {
  auto far = TwoSockets(21, HSA_IOLINK_TYPE_QPI_1_1);
  AddIndirectLinks(far);
  EXPECT_EQ(far[2].links.size(), 2u);
  ExpectLink(far[2].links[1], 2, 1, 41, HSA_IOLINK_TYPE_QPI_1_1);
  auto near = TwoSockets(20, HSA_IOLINK_TYPE_QPI_1_1);
  AddIndirectLinks(near);
  ASSERT_EQ(near[2].links.size(), 3u);
  ExpectLink(near[2].links[2], 2, 3, 60, HSA_IOLINK_TYPE_QPI_1_1);
}

TEST(IndirectLinks, OnlyOverTheGpusOwnBus) {
  std::vector<Node> nodes = {Cpu(), Gpu(), Gpu()};
  Connect(nodes, 0, 1, 21);
  Connect(nodes, 0, 2, kBus, HSA_IOLINKTYPE_HYPERTRANSPORT);
  AddIndirectLinks(nodes);
  EXPECT_EQ(nodes[1].links.size(), 1u);
  EXPECT_EQ(nodes[2].links.size(), 1u);
}

TEST(IndirectLinks, CpusAloneGetNone) {
  std::vector<Node> nodes = {Cpu(), Cpu(), Cpu()};
  Connect(nodes, 0, 1);
  Connect(nodes, 1, 2);
  AddIndirectLinks(nodes);
  EXPECT_EQ(nodes[0].links.size(), 1u);
  EXPECT_EQ(nodes[1].links.size(), 2u);
}

TEST(IndirectLinks, NoNodes) {
  std::vector<Node> nodes;
  AddIndirectLinks(nodes);
  EXPECT_TRUE(nodes.empty());
}

}  // namespace
}  // namespace kfdcts::thunk
