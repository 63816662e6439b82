#include "thunk/src/topology/cpu_caches.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "hsakmt/hsakmttypes.h"
#include "thunk/src/topology/cpu_info.h"
#include "thunk/test/topology/file_tree.h"
#include "thunk/test/topology/sample_trees.h"

namespace kfdcts::thunk::test {
namespace {

constexpr std::uint64_t kDataOfCpu = 5;
constexpr std::uint64_t kUnifiedOfCpu = 7;

void AddCache(FileTree& tree, const std::string& folder, int processor, int index, int level,
              const std::string& type, const std::string& list, const std::string& map) {
  const std::string path =
      folder + "/cpu" + std::to_string(processor) + "/cache/index" + std::to_string(index) + "/";
  tree[path + "shared_cpu_list"] = list + "\n";
  tree[path + "shared_cpu_map"] = map + "\n";
  tree[path + "level"] = std::to_string(level) + "\n";
  tree[path + "type"] = type + "\n";
  tree[path + "size"] = std::to_string(64 * level) + "K\n";
  tree[path + "coherency_line_size"] = "64\n";
  tree[path + "ways_of_associativity"] = "2\n";
  tree[path + "physical_line_partition"] = "1\n";
}

/// Two processors with an L1 each and one L3.
void AddTwoProcessors(FileTree& tree, const std::string& folder) {
  for (int processor : {1, 0}) {
    const std::string own = std::to_string(processor);
    AddCache(tree, folder, processor, 0, 1, "Data", own, processor == 0 ? "1" : "2");
    AddCache(tree, folder, processor, 1, 3, "Unified", "0-1", "3");
  }
  tree[folder + "/cpulist"] = "0-1\n";
  tree[folder + "/cpufreq/nothing"] = "";
}

TEST(CpuCaches, SharedOnesComeOnceWithTheirFirstProcessor) {
  FileTree tree;
  AddCpuInfo(tree);
  AddTwoProcessors(tree, "/sys/devices/system/node/node0");
  const auto caches = ReadCpuCaches(tree, CpuInfo::Read(tree), 0);
  ASSERT_EQ(caches.size(), 3u);
  EXPECT_EQ(caches[0].processor_id_low, 0u);
  EXPECT_EQ(caches[0].level, 1u);
  EXPECT_EQ(caches[0].type, kDataOfCpu);
  EXPECT_EQ(caches[0].size, 64u * 1024);
  EXPECT_EQ(caches[0].cache_line_size, 64u);
  EXPECT_EQ(caches[0].association, 2u);
  EXPECT_EQ(caches[0].cache_lines_per_tag, 1u);
  EXPECT_EQ(caches[0].sibling_map, (std::vector<std::uint32_t>{1}));
  EXPECT_EQ(caches[1].type, kUnifiedOfCpu);
  EXPECT_EQ(caches[1].sibling_map, (std::vector<std::uint32_t>{1, 1}));
  EXPECT_EQ(caches[2].processor_id_low, 1u);
  EXPECT_EQ(caches[2].sibling_map, (std::vector<std::uint32_t>{0, 1}));
}

TEST(CpuCaches, OfAllProcessorsWithoutNuma) {
  FileTree tree;
  AddTwoProcessors(tree, "/sys/devices/system/cpu");
  EXPECT_EQ(ReadCpuCaches(tree, CpuInfo::Read(tree), 0).size(), 3u);
  EXPECT_TRUE(ReadCpuCaches(tree, CpuInfo::Read(tree), 1).empty());
}

TEST(CpuCaches, ProcessorsAreToldByApicId) {
  FileTree tree;
  tree["/proc/cpuinfo"] = "processor : 0\napicid : 6\n\nprocessor : 1\napicid : 300\n";
  AddTwoProcessors(tree, "/sys/devices/system/node/node0");
  const auto caches = ReadCpuCaches(tree, CpuInfo::Read(tree), 0);
  ASSERT_EQ(caches.size(), 3u);
  EXPECT_EQ(caches[1].processor_id_low, 6u);
  EXPECT_EQ(caches[1].sibling_map, (std::vector<std::uint32_t>{0, 0, 0, 0, 0, 0, 1}));
  EXPECT_EQ(caches[2].processor_id_low, 300u);
  EXPECT_TRUE(caches[2].sibling_map.empty());
}

TEST(CpuCaches, MapOfManyProcessors) {
  FileTree tree;
  const std::string folder = "/sys/devices/system/node/node2";
  AddCache(tree, folder, 40, 0, 2, "Instruction", "40,72", "00000100,00000100,00000000");
  const auto caches = ReadCpuCaches(tree, CpuInfo(), 2);
  ASSERT_EQ(caches.size(), 1u);
  ASSERT_EQ(caches[0].sibling_map.size(), 73u);
  EXPECT_EQ(caches[0].sibling_map[40], 1u);
  EXPECT_EQ(caches[0].sibling_map[72], 1u);
  EXPECT_EQ(caches[0].sibling_map[41], 0u);
  EXPECT_EQ(caches[0].type, 6u);
}

TEST(CpuCaches, GarbageLeavesZeros) {
  FileTree tree;
  const std::string index = "/sys/devices/system/node/node0/cpu3/cache/index0/";
  for (const char* file : {"shared_cpu_list", "shared_cpu_map", "level", "type", "size"}) {
    tree[index + file] = "\xff???\n";
  }
  tree[index + "size"] = "3X\n";
  tree["/sys/devices/system/node/node0/cpu-1/cache/index0/level"] = "1\n";  // no processor
  tree["/sys/devices/system/node/node0/cpu4/cache/indexes"] = "1\n";
  const auto caches = ReadCpuCaches(tree, CpuInfo(), 0);
  ASSERT_EQ(caches.size(), 1u);
  EXPECT_EQ(caches[0].processor_id_low, 3u);
  EXPECT_EQ(caches[0].level, 0u);
  EXPECT_EQ(caches[0].size, 0u);
  EXPECT_EQ(caches[0].type, 4u);
  EXPECT_TRUE(caches[0].sibling_map.empty());
}

TEST(CpuCaches, OfThisMachine) {
  SystemCalls& calls = LinuxSystemCalls();
  const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index0";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no " << folder;
  const CpuInfo cpus = CpuInfo::Read(calls);
  const auto caches = ReadCpuCaches(calls, cpus, 0);
  ASSERT_FALSE(caches.empty());
  for (const Cache& cache : caches) {
    EXPECT_GE(cache.level, 1u);
    EXPECT_LE(cache.level, 4u);
    EXPECT_GE(cache.size, 1024u);
    EXPECT_EQ(cache.type & 4, 4u);
    EXPECT_NE(cache.type & 3, 0u);
    if (cache.processor_id_low >= HSA_CPU_SIBLINGS) continue;
    ASSERT_GT(cache.sibling_map.size(), cache.processor_id_low);
    EXPECT_EQ(cache.sibling_map[cache.processor_id_low], 1u);
  }
  EXPECT_NE(cpus.ModelOf(cpus.ApicIdOf(0)), "");
}

TEST(CpuInfo, ModelsByApicId) {
  FileTree tree;
  AddCpuInfo(tree);
  const CpuInfo cpus = CpuInfo::Read(tree);
  EXPECT_EQ(cpus.ModelOf(0), "QEMU TCG CPU version 2.5+");
  EXPECT_EQ(cpus.ModelOf(1), "The other one");
  EXPECT_EQ(cpus.ModelOf(2), "");
}

TEST(CpuInfo, NamesKeepTheirBlanksAtTheEnd) {
  FileTree tree;
  tree["/proc/cpuinfo"] = "flags : none\nprocessor\t: 0\nmodel name\t: AMD EPYC: Processor   ";
  EXPECT_EQ(CpuInfo::Read(tree).ModelOf(0), "AMD EPYC: Processor   ");
}

TEST(CpuInfo, WithoutTheFile) {
  FileTree tree;
  const CpuInfo cpus = CpuInfo::Read(tree);
  EXPECT_EQ(cpus.ModelOf(0), "");
  EXPECT_EQ(cpus.ApicIdOf(7), 7u);
}

}  // namespace
}  // namespace kfdcts::thunk::test
