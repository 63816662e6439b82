#include "thunk/test/topology/describe.h"

#include <iterator>
#include <sstream>
#include <string_view>

#include "thunk/src/topology/api_layout.h"
#include "thunk/src/topology/layout_2022.h"

namespace kfdcts::thunk::test {
namespace {

class Description {
 public:
  explicit Description(const Topology& topology) {
    const HsaSystemProperties system = MakeSystemProperties(topology);
    Line() << "system: NumNodes " << system.NumNodes << " PlatformOem " << system.PlatformOem
           << " PlatformId " << system.PlatformId << " PlatformRev " << system.PlatformRev;
  }

  void Add(std::size_t number, const Node& node, const NodeSurroundings& around) {
    prefix_ = "node " + std::to_string(number) + ": ";
    layout_2022::NodeProperties properties{};
    StoreNodeProperties(MakeNodeProperties(node, around), ApiLayout::k2022, &properties);
    AddNode(properties);
    for (const auto& bank : MakeMemoryProperties(node, around)) AddBank(bank);
    for (const auto& cache : MakeCacheProperties(node)) AddCache(cache);
    const auto links = MakeIoLinkProperties(node);
    std::vector<layout_2022::IoLinkProperties> old(links.size());
    StoreIoLinkProperties(links, ApiLayout::k2022, old.data());
    for (const auto& link : old) AddLink(link);
  }

  /// Ends it.
  std::vector<std::string> Lines() {
    Flush();
    return lines_;
  }

 private:
  void AddNode(const layout_2022::NodeProperties& node);

  void AddBank(const HsaMemoryProperties& bank) {
    Line() << "bank type " << bank.HeapType << " size " << bank.SizeInBytes << " flags "
           << bank.Flags.MemoryProperty << " width " << bank.Width << " clock "
           << bank.MemoryClockMax << " base " << bank.VirtualBaseAddress;
  }

  void AddCache(const HsaCacheProperties& cache) {
    std::ostream& line = Line();
    line << "cache processor " << cache.ProcessorIdLow << " level " << cache.CacheLevel << " size "
         << cache.CacheSize << " line " << cache.CacheLineSize << " lines_per_tag "
         << cache.CacheLinesPerTag << " ways " << cache.CacheAssociativity << " latency "
         << cache.CacheLatency << " type " << cache.CacheType.Value << " siblings";
    for (std::size_t i = 0; i < std::size(cache.SiblingMap); ++i) {
      if (cache.SiblingMap[i] != 0) line << ' ' << i;
    }
  }

  void AddLink(const layout_2022::IoLinkProperties& link) {
    Line() << "link type " << link.IoLinkType << " version " << link.VersionMajor << '.'
           << link.VersionMinor << " from " << link.NodeFrom << " to " << link.NodeTo << " weight "
           << link.Weight << " latency " << link.MinimumLatency << '-' << link.MaximumLatency
           << " bandwidth " << link.MinimumBandwidth << '-' << link.MaximumBandwidth << " transfer "
           << link.RecTransferSize << " flags " << link.Flags.LinkProperty;
  }

  std::ostream& Line() {
    Flush();
    return line_ << prefix_;
  }

  void Flush() {
    if (!line_.str().empty()) lines_.push_back(line_.str());
    line_.str("");
  }

  std::string prefix_;
  std::ostringstream line_;
  std::vector<std::string> lines_;
};

template <typename Character, std::size_t kSize>
std::string Text(const Character (&name)[kSize]) {
  std::string text;
  for (std::size_t i = 0; i < kSize && name[i] != 0; ++i) text += static_cast<char>(name[i]);
  return text;
}

void Description::AddNode(const layout_2022::NodeProperties& node) {
  const auto number = [this](std::string_view name, std::uint64_t value) {
    Line() << name << ' ' << value;
  };
  number("NumCPUCores", node.NumCPUCores);
  number("NumFComputeCores", node.NumFComputeCores);
  number("NumMemoryBanks", node.NumMemoryBanks);
  number("NumCaches", node.NumCaches);
  number("NumIOLinks", node.NumIOLinks);
  number("CComputeIdLo", node.CComputeIdLo);
  number("FComputeIdLo", node.FComputeIdLo);
  number("Capability", node.Capability.Value);
  number("MaxWavesPerSIMD", node.MaxWavesPerSIMD);
  number("LDSSizeInKB", node.LDSSizeInKB);
  number("GDSSizeInKB", node.GDSSizeInKB);
  number("WaveFrontSize", node.WaveFrontSize);
  number("NumShaderBanks", node.NumShaderBanks);
  number("NumArrays", node.NumArrays);
  number("NumCUPerArray", node.NumCUPerArray);
  number("NumSIMDPerCU", node.NumSIMDPerCU);
  number("MaxSlotsScratchCU", node.MaxSlotsScratchCU);
  number("EngineId", node.EngineId.Value);
  number("VendorId", node.VendorId);
  number("DeviceId", node.DeviceId);
  number("LocationId", node.LocationId);
  number("LocalMemSize", node.LocalMemSize);
  number("MaxEngineClockMhzFCompute", node.MaxEngineClockMhzFCompute);
  number("MaxEngineClockMhzCCompute", node.MaxEngineClockMhzCCompute);
  Line() << "DrmRenderMinor " << node.DrmRenderMinor;
  Line() << "MarketingName " << Text(node.MarketingName);
  Line() << "AMDName " << Text(node.AMDName);
  number("uCodeEngineVersions", node.uCodeEngineVersions.Value);
  number("DebugProperties", node.DebugProperties.Value);
  number("HiveID", node.HiveID);
  number("NumSdmaEngines", node.NumSdmaEngines);
  number("NumSdmaXgmiEngines", node.NumSdmaXgmiEngines);
  number("NumSdmaQueuesPerEngine", node.NumSdmaQueuesPerEngine);
  number("NumCpQueues", node.NumCpQueues);
  number("NumGws", node.NumGws);
  number("Domain", node.Domain);
  number("UniqueID", node.UniqueID);
  number("VGPRSizePerCU", node.VGPRSizePerCU);
  number("SGPRSizePerCU", node.SGPRSizePerCU);
}

}  // namespace

std::vector<std::string> DescribeAsIn2022(const Topology& topology,
                                          const NodeSurroundings& around) {
  Description description(topology);
  for (std::size_t i = 0; i < topology.nodes().size(); ++i) {
    const Node& node = topology.nodes()[i];
    description.Add(i, node, node.is_gpu() ? around : NodeSurroundings());
  }
  return description.Lines();
}

}  // namespace kfdcts::thunk::test
