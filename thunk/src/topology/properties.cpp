#include "thunk/src/topology/properties.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <string_view>

namespace kfdcts::thunk {
namespace {

constexpr std::uint64_t kFirmwareVersionMask = 0x3ff;
constexpr GfxVersion kKaveri = {7, 0, 0};

HSAuint32 U32(std::uint64_t number) { return static_cast<HSAuint32>(number); }
HSAuint16 U16(std::uint64_t number) { return static_cast<HSAuint16>(number); }
HSAuint8 U8(std::uint64_t number) { return static_cast<HSAuint8>(number); }

/// A byte an element, as libhsakmt's callers narrow it again; cut so that a 0 ends it.
template <typename Character>
void CopyName(std::string_view name, std::span<Character> field) {
  name = name.substr(0, std::min(name.find('\0'), field.size() - 1));
  std::fill(field.begin(), field.end(), Character{0});
  std::transform(name.begin(), name.end(), field.begin(),
                 [](char c) { return static_cast<Character>(static_cast<unsigned char>(c)); });
}

void SetVersion(HSA_ENGINE_ID& id, const GfxVersion& version) {
  id.ui32.Major = version.major & 0x3f;
  id.ui32.Minor = version.minor & 0xff;
  id.ui32.Stepping = version.step & 0xff;
}

void SetCounts(const NodeNumbers& numbers, HsaNodeProperties& properties) {
  properties.NumCPUCores = U32(numbers.cpu_cores_count);
  properties.NumFComputeCores = U32(numbers.simd_count);
  properties.CComputeIdLo = U32(numbers.cpu_core_id_base);
  properties.FComputeIdLo = U32(numbers.simd_id_base);
  properties.MaxWavesPerSIMD = U32(numbers.max_waves_per_simd);
  properties.LDSSizeInKB = U32(numbers.lds_size_in_kb);
  properties.GDSSizeInKB = U32(numbers.gds_size_in_kb);
  properties.WaveFrontSize = U32(numbers.wave_front_size);
  properties.NumArrays = U32(numbers.simd_arrays_per_engine);
  properties.NumCUPerArray = U32(numbers.cu_per_simd_array);
  properties.NumSIMDPerCU = U32(numbers.simd_per_cu);
  properties.MaxSlotsScratchCU = U32(numbers.max_slots_scratch_cu);
  properties.NumSdmaEngines = U32(numbers.num_sdma_engines);
  properties.NumSdmaXgmiEngines = U32(numbers.num_sdma_xgmi_engines);
  properties.NumSdmaQueuesPerEngine = U8(numbers.num_sdma_queues_per_engine);
  properties.NumCpQueues = U8(numbers.num_cp_queues);
  properties.NumGws = U8(numbers.num_gws);
  properties.NumXcc = U32(numbers.num_xcc);
  properties.CwsrSize = U32(numbers.cwsr_size);
  properties.CtlStackSize = U32(numbers.ctl_stack_size);
}

void SetIdentity(const NodeNumbers& numbers, HsaNodeProperties& properties) {
  properties.Capability.Value = U32(numbers.capability);
  properties.Capability2.Value = U32(numbers.capability2);
  properties.DebugProperties.Value = numbers.debug_prop;
  properties.EngineId.Value = U32(numbers.fw_version & kFirmwareVersionMask);
  properties.uCodeEngineVersions.Value = U32(numbers.sdma_fw_version & kFirmwareVersionMask);
  properties.VendorId = U16(numbers.vendor_id);
  properties.DeviceId = U16(numbers.device_id);
  properties.LocationId = U32(numbers.location_id);
  properties.Domain = U32(numbers.domain);
  properties.DrmRenderMinor = static_cast<HSAint32>(U32(numbers.drm_render_minor));
  properties.HiveID = numbers.hive_id;
  properties.UniqueID = numbers.unique_id;
  properties.FamilyID = U32(numbers.family_id);
  properties.LocalMemSize = numbers.local_mem_size;
  properties.MaxEngineClockMhzFCompute = U32(numbers.max_engine_clk_fcompute);
  properties.MaxEngineClockMhzCCompute = U32(numbers.max_engine_clk_ccompute);
}

/// What only nodes with SIMDs have.
void SetGpuPart(const NodeNumbers& numbers, const NodeSurroundings& surroundings,
                HsaNodeProperties& properties) {
  if (properties.NumArrays != 0) {
    properties.NumShaderBanks = U32(numbers.array_count) / properties.NumArrays;
  }
  properties.NumXcc = std::max(properties.NumXcc, 1u);  // older kernels do not tell it
  const auto target = FindGfxTarget(numbers.gfx_target_version, properties.DeviceId);
  if (!target) return;
  SetVersion(properties.EngineId, target->version);
  if (surroundings.gfx_override) {
    SetVersion(properties.OverrideEngineId, *surroundings.gfx_override);
  }
  CopyName<HSAuint8>(target->name, properties.AMDName);
  CopyName<HSAuint16>(surroundings.marketing_name, properties.MarketingName);
  if (surroundings.family) properties.FamilyID = *surroundings.family;
  properties.Integrated = surroundings.integrated;
  properties.SGPRSizePerCU = kSgprBytesPerCu;
  properties.VGPRSizePerCU = VgprBytesPerCu(target->version);
}

HsaMemoryProperties ApertureBank(HSA_HEAPTYPE type, const Aperture& aperture, std::uint64_t size) {
  HsaMemoryProperties bank{};
  bank.HeapType = type;
  bank.SizeInBytes = size;
  bank.VirtualBaseAddress = aperture.base;
  return bank;
}

bool IsKaveri(const NodeNumbers& numbers) {
  const auto target = FindGfxTarget(numbers.gfx_target_version, U16(numbers.device_id));
  return target && target->version == kKaveri;
}

void AddApertures(const NodeNumbers& numbers, const NodeSurroundings& surroundings,
                  std::vector<HsaMemoryProperties>& banks) {
  const auto add = [&banks](HSA_HEAPTYPE type, const Aperture& aperture, std::uint64_t size) {
    if (aperture.limit != 0) banks.push_back(ApertureBank(type, aperture, size));
  };
  const auto extent = [](const Aperture& aperture) { return aperture.limit - aperture.base + 1; };
  add(HSA_HEAPTYPE_GPU_LDS, surroundings.lds, numbers.lds_size_in_kb * 1024);
  if (numbers.local_mem_size != 0 && IsKaveri(numbers)) {
    add(HSA_HEAPTYPE_FRAME_BUFFER_PRIVATE, surroundings.gpuvm, numbers.local_mem_size);
  }
  add(HSA_HEAPTYPE_GPU_SCRATCH, surroundings.scratch, extent(surroundings.scratch));
  add(HSA_HEAPTYPE_DEVICE_SVM, surroundings.svm, extent(surroundings.svm));
  add(HSA_HEAPTYPE_MMIO_REMAP, surroundings.mmio, extent(surroundings.mmio));
}

HsaMemoryProperties BankProperties(const MemoryBank& bank) {
  HsaMemoryProperties properties{};
  properties.HeapType = static_cast<HSA_HEAPTYPE>(U32(bank.heap_type));
  properties.SizeInBytes = bank.size_in_bytes;
  properties.Flags.MemoryProperty = U32(bank.flags);
  properties.Width = U32(bank.width);
  properties.MemoryClockMax = U32(bank.mem_clk_max);
  return properties;
}

HsaCacheProperties CacheProperties(const Cache& cache) {
  HsaCacheProperties properties{};
  properties.ProcessorIdLow = U32(cache.processor_id_low);
  properties.CacheLevel = U32(cache.level);
  properties.CacheSize = U32(cache.size);
  properties.CacheLineSize = U32(cache.cache_line_size);
  properties.CacheLinesPerTag = U32(cache.cache_lines_per_tag);
  properties.CacheAssociativity = U32(cache.association);
  properties.CacheLatency = U32(cache.latency);
  properties.CacheType.Value = U32(cache.type);
  const std::size_t siblings = std::min(cache.sibling_map.size(), std::size(properties.SiblingMap));
  std::copy_n(cache.sibling_map.begin(), siblings, properties.SiblingMap);
  return properties;
}

HsaIoLinkProperties LinkProperties(const IoLink& link) {
  HsaIoLinkProperties properties{};
  properties.IoLinkType = static_cast<HSA_IOLINKTYPE>(U32(link.type));
  properties.VersionMajor = U32(link.version_major);
  properties.VersionMinor = U32(link.version_minor);
  properties.NodeFrom = U32(link.node_from);
  properties.NodeTo = U32(link.node_to);
  properties.Weight = U32(link.weight);
  properties.MinimumLatency = U32(link.min_latency);
  properties.MaximumLatency = U32(link.max_latency);
  properties.MinimumBandwidth = U32(link.min_bandwidth);
  properties.MaximumBandwidth = U32(link.max_bandwidth);
  properties.RecTransferSize = U32(link.recommended_transfer_size);
  properties.RecSdmaEngIdMask = U32(link.recommended_sdma_engine_id_mask);
  properties.Flags.LinkProperty = U32(link.flags);
  return properties;
}

template <typename Properties, typename Part>
std::vector<Properties> Convert(const std::vector<Part>& parts,
                                Properties (*convert)(const Part&)) {
  std::vector<Properties> list;
  list.reserve(parts.size());
  std::transform(parts.begin(), parts.end(), std::back_inserter(list), convert);
  return list;
}

}  // namespace

HsaSystemProperties MakeSystemProperties(const Topology& topology) {
  const System& system = topology.system();
  HsaSystemProperties properties{};
  properties.NumNodes = U32(topology.nodes().size());
  properties.PlatformOem = U32(system.platform_oem);
  properties.PlatformId = U32(system.platform_id);
  properties.PlatformRev = U32(system.platform_rev);
  return properties;
}

HsaNodeProperties MakeNodeProperties(const Node& node, const NodeSurroundings& surroundings) {
  HsaNodeProperties properties{};
  SetCounts(node.numbers, properties);
  SetIdentity(node.numbers, properties);
  properties.KFDGpuID = node.gpu_id;
  if (!surroundings.svm_supported) properties.Capability.ui32.SVMAPISupported = 0;
  if (properties.NumFComputeCores != 0) SetGpuPart(node.numbers, surroundings, properties);
  if (!node.cpu_model.empty()) {
    if (properties.DeviceId == 0) CopyName<HSAuint8>(node.cpu_model, properties.AMDName);
    CopyName<HSAuint16>(node.cpu_model, properties.MarketingName);
  }
  properties.NumMemoryBanks = U32(MakeMemoryProperties(node, surroundings).size());
  properties.NumCaches = U32(node.caches.size());
  properties.NumIOLinks = U32(node.links.size());
  return properties;
}

std::vector<HsaMemoryProperties> MakeMemoryProperties(const Node& node,
                                                      const NodeSurroundings& surroundings) {
  std::vector<HsaMemoryProperties> banks = Convert(node.banks, BankProperties);
  if (node.is_gpu()) AddApertures(node.numbers, surroundings, banks);
  return banks;
}

std::vector<HsaCacheProperties> MakeCacheProperties(const Node& node) {
  return Convert(node.caches, CacheProperties);
}

std::vector<HsaIoLinkProperties> MakeIoLinkProperties(const Node& node) {
  return Convert(node.links, LinkProperties);
}

}  // namespace kfdcts::thunk
