#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "thunk/test/topology/describe.h"
#include "thunk/test/topology/sample_trees.h"

namespace kfdcts::thunk::test {
namespace {

const std::string kTrees = TREES;

std::vector<std::string> LinesOf(const std::string& file) {
  std::ifstream stream(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) {
    if (!line.starts_with('#')) lines.push_back(line);
  }
  return lines;
}

/// What came from elsewhere than sysfs in the guest of vega10x2.tree.
NodeSurroundings OfTheGuest() {
  NodeSurroundings around;
  around.marketing_name = "AMD Radeon Vega Frontier Edition";
  around.lds = {0x1000000000000, 0x10000ffffffff};
  around.scratch = {0x2000000000000, 0x20000ffffffff};
  around.svm = {0x200000, 0x7fffffffffff};
  return around;
}

// Property: of a real kernel's topology, the properties are those that libhsakmt gives.
TEST(CapturedTree, PropertiesAreThoseOfDebiansLibhsakmt) {
  FileTree tree = LoadTree(kTrees + "/vega10x2.tree");
  const auto ours = DescribeAsIn2022(ReadAll(tree), OfTheGuest());
  const auto debians = LinesOf(kTrees + "/vega10x2.libhsakmt-5.2.3");
  ASSERT_EQ(debians.size(), 364u);
  for (std::size_t i = 0; i < std::min(ours.size(), debians.size()); ++i) {
    EXPECT_EQ(ours[i], debians[i]) << "line " << i;
  }
  EXPECT_EQ(ours.size(), debians.size());
}

// Property: no file whose end is missing, and no file that is missing, makes the reader do more
// than fail.
TEST(CapturedTree, EachFileCutShortOrGone) {
  FileTree whole = LoadTree(kTrees + "/vega10x2.tree");
  ReadAll(whole);
  ASSERT_GT(whole.reads().size(), 250u);
  std::set<HSAKMT_STATUS> statuses;
  const auto check = [](const Node&) { return GpuVerdict::kUse; };
  for (const auto& [file, times] : whole.reads()) {
    FileTree cut = whole;
    cut[file].resize(cut[file].size() / 2);
    statuses.insert(Topology::Read(cut, check).status);
    cut.Remove(file);
    statuses.insert(Topology::Read(cut, check).status);
  }
  EXPECT_EQ(statuses, (std::set{HSAKMT_STATUS_SUCCESS, HSAKMT_STATUS_ERROR}));
}

}  // namespace
}  // namespace kfdcts::thunk::test
