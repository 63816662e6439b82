#include "thunk/src/topology/reader.h"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "thunk/src/topology/cpu_caches.h"
#include "thunk/src/topology/fields.h"
#include "thunk/src/topology/indirect_links.h"
#include "thunk/src/topology/property_text.h"

namespace kfdcts::thunk {
namespace {

[[noreturn]] void Fail(const std::string& path, std::string_view what) {
  throw TopologyFailure{HSAKMT_STATUS_ERROR, path + ": " + std::string(what)};
}

[[noreturn]] void FailWithErrno(const std::string& path, int error) {
  Fail(path, std::generic_category().message(-error));
}

std::string_view FirstWord(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  return text.substr(0, text.find_first_of(kBlanks));
}

std::optional<std::uint32_t> Number32(std::string_view word) {
  const auto number = ParseNumber(word);
  if (!number || *number > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  return static_cast<std::uint32_t>(*number);
}

}  // namespace

TopologyResult TopologyReader::Read() {
  try {
    cpus_ = CpuInfo::Read(calls_);
    for (int attempt = 0; attempt < Topology::kMaxAttempts; ++attempt) {
      const std::uint64_t generation = Generation();
      auto topology = std::make_shared<Topology>();
      std::optional<TopologyFailure> failure;
      try {
        ReadOnce(*topology);
      } catch (TopologyFailure& caught) {
        failure = std::move(caught);
      }
      if (Generation() != generation) continue;
      if (failure) throw *std::move(failure);
      return {HSAKMT_STATUS_SUCCESS, "", std::move(topology)};
    }
    Fail(root_ + "/generation_id",
         "changed during every one of " + std::to_string(Topology::kMaxAttempts) + " reads");
  } catch (const TopologyFailure& failure) {
    return {failure.status, failure.text, nullptr};
  }
}

void TopologyReader::ReadOnce(Topology& topology) {
  peer_links_told_ = false;
  topology.system_ = ReadSystem();
  const std::vector<std::uint32_t> sysfs_ids = ListNodes();
  topology.sysfs_node_count_ = sysfs_ids.size();
  for (const std::uint32_t sysfs_id : sysfs_ids) {
    Node node;
    if (ReadNode(sysfs_id, node)) topology.nodes_.push_back(std::move(node));
  }
  TranslateLinks(topology.nodes_);
  if (!peer_links_told_) AddIndirectLinks(topology.nodes_);
  for (std::uint32_t node = 0; node < topology.nodes_.size(); ++node) {
    if (topology.nodes_[node].is_gpu()) {
      topology.node_of_gpu_.emplace_back(topology.nodes_[node].gpu_id, node);
    }
  }
  std::sort(topology.node_of_gpu_.begin(), topology.node_of_gpu_.end());
}

std::uint64_t TopologyReader::Generation() {
  const std::string path = root_ + "/generation_id";
  const auto generation = ParseNumber(FirstWord(ReadPromised(path)));
  if (!generation) Fail(path, "no number");
  return *generation;
}

System TopologyReader::ReadSystem() {
  System system;
  FillProperties<System>(ReadPromised(root_ + "/system_properties"), kSystemFields, system);
  return system;
}

std::vector<std::uint32_t> TopologyReader::ListNodes() {
  const std::string path = root_ + "/nodes";
  std::vector<std::string> names;
  if (const int error = calls_.ListFolder(path, names); error < 0) FailWithErrno(path, error);
  std::vector<std::uint32_t> ids;
  for (const std::string& name : names) {
    const auto id = Number32(name);
    if (id && std::to_string(*id) == name) ids.push_back(*id);
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

bool TopologyReader::ReadNode(std::uint32_t sysfs_id, Node& node) {
  node.sysfs_id = sysfs_id;
  const std::string id_path = NodePath(sysfs_id, "gpu_id");
  const int error = calls_.ReadFile(id_path, text_);
  if (error == -EPERM) return false;
  if (error < 0) FailWithErrno(id_path, error);
  const auto gpu_id = Number32(FirstWord(text_));
  if (!gpu_id) Fail(id_path, "no number of 32 bits");
  node.gpu_id = *gpu_id;

  const std::string path = NodePath(sysfs_id, "properties");
  const std::string& text = ReadPromised(path);
  FillProperties<NodeNumbers>(text, kNodeFields, node.numbers);
  ForEachProperty(text, [this](std::string_view key, std::string_view) {
    if (key == "p2p_links_count") peer_links_told_ = true;
  });
  if (node.is_gpu()) {
    const GpuVerdict verdict = check_(node);
    if (verdict == GpuVerdict::kFail) Fail(path, "the GPU's render node does not open");
    if (verdict == GpuVerdict::kDrop) return false;
  }
  ReadParts(node);
  return true;
}

void TopologyReader::ReadParts(Node& node) {
  if (node.numbers.cpu_cores_count != 0) {
    node.cpu_model = cpus_.ModelOf(node.numbers.cpu_core_id_base);
  }
  node.banks = ReadBanks(node);
  node.caches = ReadCaches(node);
  ReadLinks(node, "io_links", node.numbers.io_links_count);
  ReadLinks(node, "p2p_links", node.numbers.p2p_links_count);
}

std::vector<MemoryBank> TopologyReader::ReadBanks(const Node& node) {
  std::vector<MemoryBank> banks;
  for (std::uint64_t i = 0; i < node.numbers.mem_banks_count; ++i) {
    const std::string file = "mem_banks/" + std::to_string(i) + "/properties";
    const std::string& text = ReadPromised(NodePath(node.sysfs_id, file));
    FillProperties<MemoryBank>(text, kBankFields, banks.emplace_back());
  }
  return banks;
}

std::vector<Cache> TopologyReader::ReadCaches(const Node& node) {
  if (node.numbers.caches_count == 0 && !node.is_gpu()) {
    return ReadCpuCaches(calls_, cpus_, node.sysfs_id);
  }
  std::vector<Cache> caches;
  for (std::uint64_t i = 0; i < node.numbers.caches_count; ++i) {
    const std::string file = "caches/" + std::to_string(i) + "/properties";
    const std::string& text = ReadPromised(NodePath(node.sysfs_id, file));
    Cache& cache = caches.emplace_back();
    FillProperties<Cache>(text, kCacheFields, cache);
    ForEachProperty(text, [&](std::string_view key, std::string_view value) {
      if (key == "sibling_map") cache.sibling_map = ParseNumberList(value);
    });
  }
  return caches;
}

void TopologyReader::ReadLinks(Node& node, const char* kind, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::string path =
        NodePath(node.sysfs_id, std::string(kind) + "/" + std::to_string(i) + "/properties");
    const int error = calls_.ReadFile(path, text_);
    if (error == -EPERM) continue;
    if (error < 0) FailWithErrno(path, error);
    if (text_.empty()) Fail(path, "empty");
    IoLink link;
    link.node_from = node.sysfs_id;
    FillProperties<IoLink>(text_, kLinkFields, link);
    if (link.node_from != node.sysfs_id) {
      throw TopologyFailure{HSAKMT_STATUS_INVALID_NODE_UNIT,
                            path + ": node_from is " + std::to_string(link.node_from)};
    }
    node.links.push_back(link);
  }
}

void TopologyReader::TranslateLinks(std::vector<Node>& nodes) {
  const auto translate = [&nodes](std::uint64_t sysfs_id) -> std::optional<std::uint64_t> {
    const auto found =
        std::lower_bound(nodes.begin(), nodes.end(), sysfs_id,
                         [](const Node& node, std::uint64_t id) { return node.sysfs_id < id; });
    if (found == nodes.end() || found->sysfs_id != sysfs_id) return std::nullopt;
    return static_cast<std::uint64_t>(found - nodes.begin());
  };
  for (std::size_t from = 0; from < nodes.size(); ++from) {
    std::erase_if(nodes[from].links, [&](IoLink& link) {
      const auto to = translate(link.node_to);
      link.node_from = from;
      link.node_to = to.value_or(0);
      return !to;
    });
  }
}

std::string TopologyReader::NodePath(std::uint32_t sysfs_id, std::string_view file) const {
  std::string path = root_ + "/nodes/" + std::to_string(sysfs_id) + "/";
  return path.append(file);
}

const std::string& TopologyReader::ReadPromised(const std::string& path) {
  if (const int error = calls_.ReadFile(path, text_); error < 0) FailWithErrno(path, error);
  if (text_.empty()) Fail(path, "empty");
  return text_;
}

}  // namespace kfdcts::thunk
