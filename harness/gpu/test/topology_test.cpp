#include "harness/gpu/topology.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>

#include "harness/gpu/context_save.h"

namespace kfdcts::gpu {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

/// A topology folder with a CPU node 0; GPUs are added.
class TopologyTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "kfdcts-topology-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    root_ = name;
    Put("nodes/0/gpu_id", "0\n");
    Put("nodes/0/properties", "cpu_cores_count 2\n");
  }
  void TearDown() override { fs::remove_all(root_); }

  void Put(const std::string& file, const std::string& text) {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }

  void PutGpu(const std::string& node, const std::string& heap_type) {
    Put("nodes/" + node + "/gpu_id", "4711\n");
    Put("nodes/" + node + "/name", "vega10\n");
    Put("nodes/" + node + "/properties",
        "simd_count 256\nmem_banks_count 1\ndrm_render_minor 128\n");
    Put("nodes/" + node + "/mem_banks/0/properties",
        "heap_type " + heap_type + "\nsize_in_bytes 268435456\n");
  }

  fs::path root_;
};

TEST_F(TopologyTest, NoFolderIsAnEmptyTopology) {
  const Topology topology = ReadTopology(root_ / "missing");
  EXPECT_EQ(topology.nodes, 0U);
  EXPECT_TRUE(topology.gpus.empty());
}

TEST_F(TopologyTest, CpuNodesAreCountedAndNoGpus) {
  const Topology topology = ReadTopology(root_);
  EXPECT_EQ(topology.nodes, 1U);
  EXPECT_TRUE(topology.gpus.empty());
}

TEST_F(TopologyTest, Gpu) {
  PutGpu("1", "1");
  const Topology topology = ReadTopology(root_);
  EXPECT_EQ(topology.nodes, 2U);
  ASSERT_EQ(topology.gpus.size(), 1U);
  const GpuNode& gpu = topology.gpus[0];
  EXPECT_EQ(gpu.node, 1U);
  EXPECT_EQ(gpu.gpu_id, 4711U);
  EXPECT_EQ(gpu.name, "vega10");
  EXPECT_EQ(gpu.Property("simd_count"), 256U);
  EXPECT_FALSE(gpu.Has("cwsr_size"));
  EXPECT_EQ(gpu.vram_bytes, 256U << 20);
  EXPECT_TRUE(gpu.vram_is_public);
}

TEST_F(TopologyTest, PrivateVram) {
  PutGpu("1", "2");
  const Topology topology = ReadTopology(root_);
  ASSERT_EQ(topology.gpus.size(), 1U);
  EXPECT_FALSE(topology.gpus[0].vram_is_public);
}

TEST_F(TopologyTest, TextThatIsNoPropertyIsRefusedWithFileAndLine) {
  PutGpu("1", "1");
  Put("nodes/1/properties", "simd_count 256\nsimd_per_cu four\n");
  try {
    ReadTopology(root_);
    FAIL() << "accepted";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("nodes/1/properties:2:"));
  }
}

// Vega10 of 64 compute units: the sizes were seen to be accepted by Linux 7.3.
GpuNode Vega10() {
  GpuNode gpu;
  gpu.properties = {
      {"gfx_target_version", 90000}, {"simd_count", 256},   {"simd_per_cu", 4}, {"array_count", 4},
      {"simd_arrays_per_engine", 1}, {"lds_size_in_kb", 64}};
  return gpu;
}

TEST(ContextSaveSizes, ByFormula) {
  const ContextSaveSizes sizes = ContextSaveSizesOf(Vega10());
  EXPECT_EQ(sizes.control_stack, 20480U);
  EXPECT_EQ(sizes.save_restore, 22302720U);
  EXPECT_EQ(sizes.debugger, 65536U);
  EXPECT_EQ(sizes.mapping, 22368256U);
}

TEST(ContextSaveSizes, KernelsNumbersWin) {
  GpuNode gpu = Vega10();
  gpu.properties["cwsr_size"] = 8192 * 1024;
  gpu.properties["ctl_stack_size"] = 4096;
  const ContextSaveSizes sizes = ContextSaveSizesOf(gpu);
  EXPECT_EQ(sizes.control_stack, 4096U);
  EXPECT_EQ(sizes.save_restore, 8388608U);
  EXPECT_EQ(sizes.mapping, 8388608U + 65536U);
}

TEST(ContextSaveSizes, EveryXccHasItsPart) {
  GpuNode gpu = Vega10();
  gpu.properties["simd_count"] = 2 * 256;
  gpu.properties["num_xcc"] = 2;
  EXPECT_EQ(ContextSaveSizesOf(gpu).save_restore, 22302720U);
  EXPECT_EQ(ContextSaveSizesOf(gpu).mapping, 2U * 22368256U);
}

TEST(ContextSaveSizes, OldGpusSaveNothing) {
  GpuNode gpu = Vega10();
  gpu.properties["gfx_target_version"] = 70000;
  EXPECT_EQ(ContextSaveSizesOf(gpu).mapping, 0U);
}

}  // namespace
}  // namespace kfdcts::gpu
