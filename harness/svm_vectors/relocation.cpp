#include "harness/svm_vectors/relocation.h"

#include <linux/kfd_ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>

namespace kfdcts::harness {
namespace {

/// Far from where kernel and loader put things, and within 47 bits.
constexpr std::uint64_t kBase = std::uint64_t{1} << 44U;
constexpr std::uint64_t kSpanLimit = std::uint64_t{1} << 43U;
constexpr std::uint64_t kKeptAlignment = std::uint64_t{1} << 30U;
constexpr std::uint64_t kShare = 4;  // of RAM and VRAM

constexpr std::uint32_t kUndefined = std::numeric_limits<std::uint32_t>::max();

bool TakesGpu(std::uint32_t type) {
  switch (type) {
    case KFD_IOCTL_SVM_ATTR_PREFERRED_LOC:
    case KFD_IOCTL_SVM_ATTR_PREFETCH_LOC:
    case KFD_IOCTL_SVM_ATTR_ACCESS:
    case KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE:
    case KFD_IOCTL_SVM_ATTR_NO_ACCESS:
      return true;
    default:
      return false;
  }
}

bool HasHive(const VectorSequence& sequence) {
  return std::any_of(sequence.hives.begin(), sequence.hives.end(),
                     [](auto hive) { return hive != 0; });
}

/// Whether the machine's first GPUs are joined as the sequence's are.
bool HivesMatch(const VectorSequence& sequence, const VectorMachine& machine) {
  const auto joined = [](auto a, auto b) { return a != 0 && a == b; };
  for (std::size_t i = 0; i < sequence.gpus.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (joined(sequence.hives[i], sequence.hives[j]) !=
          joined(machine.gpus[i].hive, machine.gpus[j].hive)) {
        return false;
      }
    }
  }
  return true;
}

bool SupportMatches(const VectorSequence& sequence, const VectorMachine& machine) {
  for (std::size_t i = 0; i < sequence.gpus.size(); ++i) {
    const bool wanted = std::find(sequence.supported.begin(), sequence.supported.end(),
                                  sequence.gpus[i]) != sequence.supported.end();
    if (machine.gpus[i].svm != wanted) return false;
  }
  return true;
}

std::uint64_t MappedBytes(const VectorSequence& sequence) {
  std::uint64_t pages = 0;
  for (const auto& vma : sequence.vmas) pages += vma.npages;
  return pages > (std::numeric_limits<std::uint64_t>::max() / Relocation::PageBytes())
             ? std::numeric_limits<std::uint64_t>::max()
             : pages * Relocation::PageBytes();
}

/// First and last page that a sequence names, page 0 apart.
std::pair<std::uint64_t, std::uint64_t> Extent(const VectorSequence& sequence) {
  std::uint64_t first = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t last = 0;
  const auto add = [&](std::uint64_t start, std::uint64_t npages) {
    if (start == 0) return;
    first = std::min(first, start);
    last = std::max(last, start + std::min(npages, kSpanLimit));
  };
  for (const auto& vma : sequence.vmas) add(vma.start, vma.npages);
  for (const auto& operation : sequence.operations) add(operation.start, operation.npages);
  return last == 0 ? std::pair<std::uint64_t, std::uint64_t>{0, 0} : std::pair(first, last);
}

}  // namespace

VectorMachine ThisMachine(const gpu::Topology& topology) {
  constexpr std::uint64_t kSvmCapability = std::uint64_t{1} << 27U;  // HSA_CAP_SVMAPI_SUPPORTED
  VectorMachine machine;
  std::ifstream in("/proc/meminfo");
  for (std::string line; std::getline(in, line);) {
    constexpr std::string_view kKey = "MemAvailable:";
    if (line.starts_with(kKey)) machine.bytes = std::stoull(line.substr(kKey.size())) * 1024;
  }
  for (const auto& gpu : topology.gpus) {
    machine.gpus.push_back(
        {gpu.gpu_id, (gpu.Property("capability") & kSvmCapability) != 0, gpu.Property("hive_id")});
    machine.bytes = std::min(machine.bytes, gpu.vram_bytes);
  }
  machine.bytes /= kShare;
  return machine;
}

std::optional<VectorObstacle> WhyNot(const VectorSequence& sequence, const VectorMachine& machine) {
  if (sequence.quirk) return VectorObstacle{"quirk", "it wraps the address space"};
  if (sequence.gpus.size() > machine.gpus.size()) {
    return VectorObstacle{"gpus",
                          "it wants more than " + std::to_string(machine.gpus.size()) + " GPUs"};
  }
  if (!SupportMatches(sequence, machine)) {
    return VectorObstacle{"unsupported-gpu",
                          "it has a GPU without SVM where this machine's has it"};
  }
  if (!HivesMatch(sequence, machine)) {
    return VectorObstacle{"hive", HasHive(sequence) ? "its GPUs form a hive, the machine's do not"
                                                    : "the machine's GPUs form a hive, its do not"};
  }
  if (MappedBytes(sequence) > machine.bytes) {
    return VectorObstacle{"memory", "it maps more than a quarter of VRAM or free RAM"};
  }
  const auto [first, last] = Extent(sequence);
  if (last - first > kSpanLimit / Relocation::PageBytes()) {
    return VectorObstacle{"address-space", "its pages are too far from one another"};
  }
  return std::nullopt;
}

Relocation::Relocation(const VectorSequence& sequence, const VectorMachine& machine)
    : first_page_(Extent(sequence).first / (kKeptAlignment / PageBytes()) *
                  (kKeptAlignment / PageBytes())) {
  for (std::size_t i = 0; i < sequence.gpus.size(); ++i) {
    gpus_.emplace_back(sequence.gpus[i], machine.gpus[i].id);
  }
  for (const auto& gpu : machine.gpus) taken_.push_back(gpu.id);
}

VectorAttribute Relocation::Attribute(VectorAttribute attribute) const {
  if (!TakesGpu(attribute.type) || attribute.value == 0 || attribute.value == kUndefined) {
    return attribute;
  }
  const auto found = std::find_if(gpus_.begin(), gpus_.end(),
                                  [&](const auto& pair) { return pair.first == attribute.value; });
  if (found != gpus_.end()) return {attribute.type, found->second};
  while (std::find(taken_.begin(), taken_.end(), attribute.value) != taken_.end()) {
    attribute.value ^= 0x8000'0000U;  // KFD's ids have 16 or a few more bits
    if ((attribute.value & 0x8000'0000U) == 0) ++attribute.value;
  }
  return attribute;
}

std::vector<VectorAttribute> Relocation::Attributes(
    const std::vector<VectorAttribute>& list) const {
  std::vector<VectorAttribute> moved;
  for (const auto& attribute : list) moved.push_back(Attribute(attribute));
  return moved;
}

std::uint64_t Relocation::Address(std::uint64_t page) const {
  return page == 0 ? 0 : kBase + (page - first_page_) * PageBytes();
}

std::uint64_t Relocation::PageBytes() {
  static const auto kBytes = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return kBytes;
}

}  // namespace kfdcts::harness
