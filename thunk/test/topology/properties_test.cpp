#include "thunk/src/topology/properties.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "thunk/test/topology/sample_trees.h"

namespace kfdcts::thunk::test {
namespace {

NodeSurroundings OfVega10() {
  NodeSurroundings around;
  around.marketing_name = "AMD Radeon Vega Frontier Edition";
  around.family = 141;
  around.lds = {0x1000000000000, 0x10000ffffffff};
  around.scratch = {0x2000000000000, 0x20000ffffffff};
  around.svm = {0x200000, 0x7fffffffffff};
  around.mmio = {0x7f0000000000, 0x7f0000000fff};
  return around;
}

std::string MarketingName(const HsaNodeProperties& node) {
  std::string name;
  for (const HSAuint16 unit : node.MarketingName) {
    if (unit == 0) break;
    name += static_cast<char>(unit);
  }
  return name;
}

std::string AmdName(const HsaNodeProperties& node) {
  return reinterpret_cast<const char*>(node.AMDName);
}

HsaNodeProperties GpuProperties(FileTree& tree, const NodeSurroundings& around = OfVega10()) {
  return MakeNodeProperties(ReadAll(tree).nodes().at(1), around);
}

TEST(Properties, System) {
  FileTree tree = TwoGpus();
  const HsaSystemProperties system = MakeSystemProperties(ReadAll(tree));
  EXPECT_EQ(system.NumNodes, 3u);
  EXPECT_EQ(system.PlatformOem, 0x43505842u);  // the lower half of the kernel's number
  EXPECT_EQ(system.PlatformId, 0x48434f42u);
  EXPECT_EQ(system.PlatformRev, 1u);
}

TEST(Properties, Cpu) {
  FileTree tree = TwoGpus();
  const HsaNodeProperties cpu = MakeNodeProperties(ReadAll(tree).nodes().at(0), {});
  EXPECT_EQ(cpu.NumCPUCores, 2u);
  EXPECT_EQ(cpu.NumFComputeCores, 0u);
  EXPECT_EQ(cpu.NumMemoryBanks, 1u);
  EXPECT_EQ(cpu.NumCaches, 0u);
  EXPECT_EQ(cpu.NumIOLinks, 2u);
  EXPECT_EQ(cpu.KFDGpuID, 0u);
  EXPECT_EQ(cpu.EngineId.Value, 0u);
  EXPECT_EQ(cpu.NumXcc, 0u);
  EXPECT_EQ(cpu.VGPRSizePerCU, 0u);
  EXPECT_EQ(AmdName(cpu), "QEMU TCG CPU version 2.5+");
  EXPECT_EQ(MarketingName(cpu), "QEMU TCG CPU version 2.5+");
}

TEST(Properties, GpuCounts) {
  FileTree tree = TwoGpus();
  const HsaNodeProperties gpu = GpuProperties(tree);
  EXPECT_EQ(gpu.NumCPUCores, 0u);
  EXPECT_EQ(gpu.NumFComputeCores, 256u);
  EXPECT_EQ(gpu.NumNeuralCores, 0u);
  EXPECT_EQ(gpu.NumMemoryBanks, 5u);
  EXPECT_EQ(gpu.NumCaches, 2u);
  EXPECT_EQ(gpu.NumIOLinks, 1u);
  EXPECT_EQ(gpu.FComputeIdLo, 2147487744u);
  EXPECT_EQ(gpu.MaxWavesPerSIMD, 10u);
  EXPECT_EQ(gpu.LDSSizeInKB, 64u);
  EXPECT_EQ(gpu.WaveFrontSize, 64u);
  EXPECT_EQ(gpu.NumShaderBanks, 4u);
  EXPECT_EQ(gpu.NumArrays, 1u);
  EXPECT_EQ(gpu.NumCUPerArray, 16u);
  EXPECT_EQ(gpu.NumSIMDPerCU, 4u);
  EXPECT_EQ(gpu.MaxSlotsScratchCU, 32u);
  EXPECT_EQ(gpu.NumSdmaEngines, 2u);
  EXPECT_EQ(gpu.NumSdmaQueuesPerEngine, 2u);
  EXPECT_EQ(gpu.NumCpQueues, 24u);
  EXPECT_EQ(gpu.NumGws, 64u);
  EXPECT_EQ(gpu.NumXcc, 1u);
  EXPECT_EQ(gpu.CwsrSize, 22302720u);
  EXPECT_EQ(gpu.CtlStackSize, 20480u);
}

TEST(Properties, GpuIdentity) {
  FileTree tree = TwoGpus();
  const HsaNodeProperties gpu = GpuProperties(tree);
  EXPECT_EQ(gpu.KFDGpuID, 52673u);
  EXPECT_EQ(gpu.EngineId.ui32.Major, 9u);
  EXPECT_EQ(gpu.EngineId.ui32.Minor, 0u);
  EXPECT_EQ(gpu.EngineId.ui32.Stepping, 0u);
  EXPECT_EQ(gpu.EngineId.ui32.uCode, 512u);
  EXPECT_EQ(gpu.OverrideEngineId.Value, 0u);
  EXPECT_EQ(gpu.uCodeEngineVersions.uCodeSDMA, 400u);
  EXPECT_EQ(gpu.VendorId, 0x1002);
  EXPECT_EQ(gpu.DeviceId, 0x6863);
  EXPECT_EQ(gpu.LocationId, 32u);
  EXPECT_EQ(gpu.DrmRenderMinor, 128);
  EXPECT_EQ(gpu.MaxEngineClockMhzFCompute, 100u);
  EXPECT_EQ(HSAuint64{gpu.DebugProperties.Value}, 1494u);
  EXPECT_EQ(gpu.FamilyID, 141u);
  EXPECT_EQ(gpu.Integrated, 0);
  EXPECT_EQ(gpu.VGPRSizePerCU, 0x40000u);
  EXPECT_EQ(gpu.SGPRSizePerCU, 0x4000u);
  EXPECT_EQ(AmdName(gpu), "Vega10");
  EXPECT_EQ(MarketingName(gpu), "AMD Radeon Vega Frontier Edition");
}

TEST(Properties, NumbersAreCutToTheMembersThatTakeThem) {
  FileTree tree = TwoGpus();
  SetProperty(tree, 1, "drm_render_minor", "-1");
  SetProperty(tree, 1, "fw_version", "5120");
  SetProperty(tree, 1, "num_gws", "257");
  SetProperty(tree, 1, "hive_id", "18446744073709551615");
  SetProperty(tree, 1, "local_mem_size", "8589934592");
  const HsaNodeProperties gpu = GpuProperties(tree);
  EXPECT_EQ(gpu.DrmRenderMinor, -1);
  EXPECT_EQ(gpu.EngineId.ui32.uCode, 0u);
  EXPECT_EQ(gpu.EngineId.ui32.Major, 9u);
  EXPECT_EQ(gpu.NumGws, 1);
  EXPECT_EQ(HSAuint64{gpu.HiveID}, 18446744073709551615u);
  EXPECT_EQ(HSAuint64{gpu.LocalMemSize}, 8589934592u);
}

TEST(Properties, OlderKernelsTellNoXccAndNoArrays) {
  FileTree tree = TwoGpus();
  SetProperty(tree, 1, "num_xcc", "");
  SetProperty(tree, 1, "simd_arrays_per_engine", "0");
  const HsaNodeProperties gpu = GpuProperties(tree);
  EXPECT_EQ(gpu.NumXcc, 1u);
  EXPECT_EQ(gpu.NumShaderBanks, 0u);
}

TEST(Properties, SvmBitIsHiddenWhereSvmIsOff) {
  FileTree tree = TwoGpus();
  EXPECT_EQ(GpuProperties(tree).Capability.Value, 134455936u);
  NodeSurroundings around = OfVega10();
  around.svm_supported = false;
  EXPECT_EQ(GpuProperties(tree, around).Capability.Value, 134455936u & ~(1u << 27));
}

TEST(Properties, OverrideIsToldBesideTheVersion) {
  FileTree tree = TwoGpus();
  NodeSurroundings around = OfVega10();
  around.gfx_override = GfxVersion{10, 3, 1};
  const HsaNodeProperties gpu = GpuProperties(tree, around);
  EXPECT_EQ(gpu.EngineId.ui32.Major, 9u);
  EXPECT_EQ(gpu.OverrideEngineId.ui32.Major, 10u);
  EXPECT_EQ(gpu.OverrideEngineId.ui32.Minor, 3u);
  EXPECT_EQ(gpu.OverrideEngineId.ui32.Stepping, 1u);
  EXPECT_EQ(gpu.OverrideEngineId.ui32.uCode, 0u);
}

TEST(Properties, GpuThatNobodyKnowsHasNoNames) {
  FileTree tree = TwoGpus();
  SetProperty(tree, 1, "gfx_target_version", "0");
  SetProperty(tree, 1, "device_id", "1");
  SetProperty(tree, 1, "fw_version", "5121");
  const HsaNodeProperties gpu = GpuProperties(tree);
  EXPECT_EQ(gpu.EngineId.Value, 1u);  // the firmware's lower ten bits
  EXPECT_EQ(AmdName(gpu), "");
  EXPECT_EQ(MarketingName(gpu), "");
  EXPECT_EQ(gpu.VGPRSizePerCU, 0u);
}

TEST(Properties, FamilyOfSysfsWithoutDrm) {
  FileTree tree = TwoGpus();
  SetProperty(tree, 1, "family_id", "150");
  NodeSurroundings around = OfVega10();
  around.family.reset();
  around.integrated = true;
  const HsaNodeProperties gpu = GpuProperties(tree, around);
  EXPECT_EQ(gpu.FamilyID, 150u);
  EXPECT_EQ(gpu.Integrated, 1);
}

TEST(Properties, NamesOf63UnitsAtMost) {
  FileTree tree = TwoGpus();
  NodeSurroundings around = OfVega10();
  around.marketing_name.assign(62, 'x');
  around.marketing_name += "\xc3\xa9";
  const HsaNodeProperties gpu = GpuProperties(tree, around);
  EXPECT_EQ(gpu.MarketingName[61], 'x');
  EXPECT_EQ(gpu.MarketingName[62], 0xc3);
  EXPECT_EQ(gpu.MarketingName[63], 0);
}

TEST(Properties, MergedNodeIsCalledByItsCpu) {
  FileTree tree = TwoGpus();
  SetProperty(tree, 1, "cpu_cores_count", "4");
  const HsaNodeProperties apu = GpuProperties(tree);
  EXPECT_EQ(AmdName(apu), "Vega10");
  EXPECT_EQ(MarketingName(apu), "QEMU TCG CPU version 2.5+");
}

void ExpectBank(const HsaMemoryProperties& bank, HSA_HEAPTYPE type, std::uint64_t base,
                std::uint64_t size) {
  EXPECT_EQ(bank.HeapType, type);
  EXPECT_EQ(HSAuint64{bank.VirtualBaseAddress}, base);
  EXPECT_EQ(HSAuint64{bank.SizeInBytes}, size);
}

TEST(Properties, BanksOfAGpuAreThoseOfSysfsThenApertures) {
  FileTree tree = TwoGpus();
  const auto banks = MakeMemoryProperties(ReadAll(tree).nodes().at(1), OfVega10());
  ASSERT_EQ(banks.size(), 5u);
  ExpectBank(banks[0], HSA_HEAPTYPE_FRAME_BUFFER_PUBLIC, 0, 256 << 20);
  EXPECT_EQ(banks[0].Width, 2048u);
  EXPECT_EQ(banks[0].MemoryClockMax, 100u);
  ExpectBank(banks[1], HSA_HEAPTYPE_GPU_LDS, 0x1000000000000, 65536);
  ExpectBank(banks[2], HSA_HEAPTYPE_GPU_SCRATCH, 0x2000000000000, 0x100000000);
  ExpectBank(banks[3], HSA_HEAPTYPE_DEVICE_SVM, 0x200000, 0x7fffffe00000);
  ExpectBank(banks[4], HSA_HEAPTYPE_MMIO_REMAP, 0x7f0000000000, 4096);
}

TEST(Properties, AperturesThatAreNotThereAreNoBanks) {
  FileTree tree = TwoGpus();
  const Topology topology = ReadAll(tree);
  EXPECT_EQ(MakeMemoryProperties(topology.nodes().at(1), {}).size(), 1u);
  EXPECT_EQ(MakeNodeProperties(topology.nodes().at(1), {}).NumMemoryBanks, 1u);
  EXPECT_EQ(MakeMemoryProperties(topology.nodes().at(0), OfVega10()).size(), 1u);
}

TEST(Properties, KaverisVramIsABankOfTheGpuvmAperture) {
  FileTree tree = TwoGpus();
  SetProperty(tree, 1, "gfx_target_version", "70000");
  SetProperty(tree, 1, "device_id", "4868");
  SetProperty(tree, 1, "local_mem_size", "1048576");
  NodeSurroundings around = OfVega10();
  around.gpuvm = {0x4000000000, 0x5000000000};
  const auto banks = MakeMemoryProperties(ReadAll(tree).nodes().at(1), around);
  ASSERT_EQ(banks.size(), 6u);
  ExpectBank(banks[2], HSA_HEAPTYPE_FRAME_BUFFER_PRIVATE, 0x4000000000, 1048576);
  SetProperty(tree, 1, "local_mem_size", "0");
  EXPECT_EQ(MakeMemoryProperties(ReadAll(tree).nodes().at(1), around).size(), 5u);
}

TEST(Properties, Caches) {
  FileTree tree = TwoGpus();
  const auto caches = MakeCacheProperties(ReadAll(tree).nodes().at(1));
  ASSERT_EQ(caches.size(), 2u);
  EXPECT_EQ(caches[1].ProcessorIdLow, 2147487744u);
  EXPECT_EQ(caches[1].CacheLevel, 2u);
  EXPECT_EQ(caches[1].CacheSize, 4096u);
  EXPECT_EQ(caches[1].CacheLineSize, 64u);
  EXPECT_EQ(caches[1].CacheType.ui32.Data, 1u);
  EXPECT_EQ(caches[1].CacheType.ui32.HSACU, 1u);
  EXPECT_EQ(caches[1].SiblingMap[0], 1u);
  EXPECT_EQ(caches[1].SiblingMap[1], 0u);
  EXPECT_EQ(caches[1].SiblingMap[2], 1u);
}

TEST(Properties, SiblingsBeyondTheMapAreCut) {
  Node node;
  node.caches.emplace_back().sibling_map.assign(300, 1);
  const auto caches = MakeCacheProperties(node);
  EXPECT_EQ(caches.at(0).SiblingMap[HSA_CPU_SIBLINGS - 1], 1u);
}

TEST(Properties, Links) {
  FileTree tree = TwoGpus();
  const auto links = MakeIoLinkProperties(ReadAll(tree).nodes().at(0));
  ASSERT_EQ(links.size(), 2u);
  EXPECT_EQ(links[1].IoLinkType, HSA_IOLINKTYPE_PCIEXPRESS);
  EXPECT_EQ(links[1].VersionMajor, 3u);
  EXPECT_EQ(links[1].VersionMinor, 4u);
  EXPECT_EQ(links[1].NodeFrom, 0u);
  EXPECT_EQ(links[1].NodeTo, 2u);
  EXPECT_EQ(links[1].Weight, 20u);
  EXPECT_EQ(links[1].MinimumLatency, 5u);
  EXPECT_EQ(links[1].MaximumLatency, 6u);
  EXPECT_EQ(links[1].MinimumBandwidth, 312u);
  EXPECT_EQ(links[1].MaximumBandwidth, 10000u);
  EXPECT_EQ(links[1].RecTransferSize, 7u);
  EXPECT_EQ(links[1].RecSdmaEngIdMask, 3u);
  EXPECT_EQ(links[1].Flags.LinkProperty, 13u);
}

}  // namespace
}  // namespace kfdcts::thunk::test
