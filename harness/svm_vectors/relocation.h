#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/gpu/topology.h"
#include "harness/svm_vectors/sequence.h"

namespace kfdcts::harness {

/// The machine that a sequence is to run on, as far as a sequence can tell.
struct VectorMachine {
  struct Gpu {
    std::uint32_t id = 0;
    bool svm = false;  ///< It can do SVM.
    std::uint64_t hive = 0;
  };
  std::vector<Gpu> gpus;
  std::uint64_t bytes = 0;  ///< What a sequence may have mapped at a time.
};

/// From the topology and /proc/meminfo. `bytes` is what RAM and the smallest GPU's VRAM hold with
/// room to spare, since pages of a range with access are all populated.
VectorMachine ThisMachine(const gpu::Topology& topology);

/// Why a sequence cannot run on a machine.
struct VectorObstacle {
  std::string name;    ///< A word, as of a capability: "gpus", "hive", …
  std::string reason;  ///< A line without the sequence's own numbers, so that it can be counted.
};
std::optional<VectorObstacle> WhyNot(const VectorSequence& sequence, const VectorMachine& machine);

/// Carries a sequence's GPU ids and page numbers over to a real machine and process.
class Relocation {
 public:
  /// The sequence fits the machine (WhyNot).
  Relocation(const VectorSequence& sequence, const VectorMachine& machine);

  /// GPU ids become those of the machine's GPUs, in order; ids that stand for no GPU stay ids of
  /// none; 0 (system memory), UNDEFINED and what is no GPU id stay as they are.
  VectorAttribute Attribute(VectorAttribute attribute) const;
  std::vector<VectorAttribute> Attributes(const std::vector<VectorAttribute>& list) const;

  /// In bytes. Page 0 stays address 0, which the kernel refuses; the others keep their places to
  /// one another and to every boundary of 1 GiB.
  std::uint64_t Address(std::uint64_t page) const;

  static std::uint64_t PageBytes();

 private:
  std::vector<std::pair<std::uint32_t, std::uint32_t>> gpus_;  ///< Virtual and real id.
  std::vector<std::uint32_t> taken_;                           ///< Real ids of the machine.
  std::uint64_t first_page_ = 0;                               ///< What moves to kBase.
};

}  // namespace kfdcts::harness
