#include "thunk/src/topology/indirect_links.h"

#include <cstdint>
#include <initializer_list>
#include <optional>

#include "hsakmt/hsakmttypes.h"

namespace kfdcts::thunk {
namespace {

constexpr std::uint64_t kGreatestDirectWeight = 20;
constexpr std::uint64_t kGreatestWeightWithinSocket = 20;

struct Hop {
  std::size_t from;
  std::size_t to;
};

class LinkMaker {
 public:
  explicit LinkMaker(std::vector<Node>& nodes) : nodes_(nodes) {
    for (const Node& node : nodes) cpus_.push_back(DirectCpu(node));
  }

  void Add(std::size_t from, std::size_t to) {
    Node& node = nodes_[from];
    if (node.links.size() + 1 >= nodes_.size()) return;  // has one to each node already
    if (const auto link = Make(from, to)) node.links.push_back(*link);
  }

 private:
  /// The CPU at the other end of a GPU's own bus.
  std::optional<std::size_t> DirectCpu(const Node& node) const {
    if (!node.is_gpu()) return std::nullopt;
    for (const IoLink& link : node.links) {
      const bool bus = link.type == HSA_IOLINKTYPE_PCIEXPRESS || link.type == HSA_IOLINK_TYPE_XGMI;
      if (bus && link.weight <= kGreatestDirectWeight && !nodes_[link.node_to].is_gpu()) {
        return link.node_to;
      }
    }
    return std::nullopt;
  }

  const IoLink* Direct(Hop hop) const {
    for (const IoLink& link : nodes_[hop.from].links) {
      if (link.node_to == hop.to) return &link;
    }
    return nullptr;
  }

  bool CpuReaches(const Node& node) const {
    if (!node.is_gpu()) return true;
    for (const MemoryBank& bank : node.banks) {
      if (bank.heap_type == HSA_HEAPTYPE_FRAME_BUFFER_PUBLIC) return true;
    }
    return false;
  }

  std::optional<IoLink> Make(std::size_t from, std::size_t to) const {
    const Node& source = nodes_[from];
    const Node& target = nodes_[to];
    if (source.numbers.hive_id != 0 && source.numbers.hive_id == target.numbers.hive_id) {
      return std::nullopt;
    }
    if (!CpuReaches(target)) return std::nullopt;
    const auto first = cpus_[from];
    const auto last = cpus_[to];
    if (first && last && *first != *last) {
      const IoLink* between = Direct({*first, *last});
      const bool other_socket = between != nullptr && between->type == HSA_IOLINK_TYPE_QPI_1_1 &&
                                between->weight > kGreatestWeightWithinSocket;
      if (other_socket) return std::nullopt;
      return Join({{from, *first}, {*first, *last}, {*last, to}}, {*first, *last});
    }
    if (first) return Join({{from, *first}, {*first, to}}, {*first, to});
    if (last) return Join({{from, *last}, {*last, to}}, {from, *last});
    return std::nullopt;
  }

  /// One link over all `hops`, of the type that `typical` has; nothing if a hop does not exist.
  std::optional<IoLink> Join(std::initializer_list<Hop> hops, Hop typical) const {
    IoLink joined;
    joined.node_from = hops.begin()->from;
    joined.node_to = (hops.end() - 1)->to;
    for (const Hop hop : hops) {
      const IoLink* part = Direct(hop);
      if (part == nullptr) return std::nullopt;
      joined.weight += part->weight;
    }
    joined.type = Direct(typical)->type;
    if (joined.weight == 0) return std::nullopt;
    return joined;
  }

  std::vector<Node>& nodes_;
  std::vector<std::optional<std::size_t>> cpus_;  ///< DirectCpu of each node.
};

}  // namespace

void AddIndirectLinks(std::vector<Node>& nodes) {
  if (nodes.size() > kMaxNodesForIndirectLinks) return;
  LinkMaker maker(nodes);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (std::size_t j = i + 1; j < nodes.size(); ++j) {
      maker.Add(i, j);
      maker.Add(j, i);
    }
  }
}

}  // namespace kfdcts::thunk
