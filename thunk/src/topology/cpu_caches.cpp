#include "thunk/src/topology/cpu_caches.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "hsakmt/hsakmttypes.h"
#include "thunk/src/topology/property_text.h"

namespace kfdcts::thunk {
namespace {

constexpr std::string_view kNodes = "/sys/devices/system/node/node";
constexpr const char* kAllProcessors = "/sys/devices/system/cpu";

/// The numbers of a folder's entries `prefix`N, ascending.
std::vector<std::uint64_t> NumberedEntries(SystemCalls& calls, const std::string& folder,
                                           std::string_view prefix) {
  std::vector<std::string> names;
  std::vector<std::uint64_t> numbers;
  if (calls.ListFolder(folder, names) < 0) return numbers;
  for (const std::string_view name : names) {
    if (!name.starts_with(prefix)) continue;
    if (const auto number = ParseNumber(name.substr(prefix.size()))) numbers.push_back(*number);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

/// The number that `text` begins with, and what follows it.
std::optional<std::uint64_t> LeadingNumber(std::string_view text, int base,
                                           std::string_view* rest = nullptr) {
  std::uint64_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc{}) return std::nullopt;
  if (rest != nullptr) *rest = text.substr(static_cast<std::size_t>(stop - text.data()));
  return number;
}

/// "48K" and the like, in bytes; 0 for an unknown unit.
std::uint64_t Bytes(std::string_view text) {
  std::string_view unit;
  const std::uint64_t number = LeadingNumber(text, 10, &unit).value_or(0);
  if (unit.empty() || unit == "\n") return number;
  constexpr std::string_view kUnits = "KMG";
  const std::size_t power = kUnits.find(unit.front());
  return power == std::string_view::npos ? 0 : number << (10 * (power + 1));
}

std::uint64_t TypeOf(std::string_view text) {
  HsaCacheType type{};
  type.ui32.Data = text.starts_with("Data") || text.starts_with("Unified");
  type.ui32.Instruction = text.starts_with("Instruction") || text.starts_with("Unified");
  type.ui32.CPU = 1;
  return type.Value;
}

/// One cache's folder.
class CpuCacheReader {
 public:
  CpuCacheReader(SystemCalls& calls, const CpuInfo& cpus, std::string folder)
      : calls_(calls), cpus_(cpus), folder_(std::move(folder)) {}

  /// The processor with which this cache is told of; `processor` where sysfs does not say.
  std::uint64_t Owner(std::uint64_t processor) {
    return LeadingNumber(File("shared_cpu_list"), 10).value_or(processor);
  }

  Cache Read(std::uint64_t processor) {
    Cache cache;
    cache.processor_id_low = cpus_.ApicIdOf(processor);
    cache.level = Number("level");
    cache.type = TypeOf(File("type"));
    cache.size = Bytes(File("size"));
    cache.cache_line_size = Number("coherency_line_size");
    cache.association = Number("ways_of_associativity");
    cache.cache_lines_per_tag = Number("physical_line_partition");
    cache.sibling_map = Siblings(File("shared_cpu_map"));
    return cache;
  }

 private:
  std::string_view File(std::string_view name) {
    text_.clear();
    if (calls_.ReadFile(std::string(folder_).append("/").append(name), text_) < 0) return {};
    return text_;
  }

  std::uint64_t Number(std::string_view name) { return LeadingNumber(File(name), 10).value_or(0); }

  /// `mask` is words of up to 8 hexadecimal digits with commas between, the lowest last.
  std::vector<std::uint32_t> Siblings(std::string_view mask) const {
    std::vector<std::uint32_t> siblings;
    mask = mask.substr(0, mask.find('\n'));
    for (std::uint64_t first = 0; !mask.empty(); first += 32) {
      const std::size_t comma = mask.rfind(',');
      const std::string_view word = comma == std::string_view::npos ? mask : mask.substr(comma + 1);
      AddWord(LeadingNumber(word, 16).value_or(0), first, siblings);
      mask = comma == std::string_view::npos ? std::string_view{} : mask.substr(0, comma);
    }
    return siblings;
  }

  void AddWord(std::uint64_t word, std::uint64_t first,
               std::vector<std::uint32_t>& siblings) const {
    for (std::uint64_t bit = 0; bit < 32; ++bit) {
      if ((word >> bit & 1) == 0) continue;
      const std::uint64_t apic_id = cpus_.ApicIdOf(first + bit);
      if (apic_id >= HSA_CPU_SIBLINGS) continue;
      if (apic_id >= siblings.size()) siblings.resize(apic_id + 1);
      siblings[apic_id] = 1;
    }
  }

  SystemCalls& calls_;
  const CpuInfo& cpus_;
  std::string folder_;
  std::string text_;
};

}  // namespace

std::vector<Cache> ReadCpuCaches(SystemCalls& calls, const CpuInfo& cpus, std::uint32_t numa_node) {
  std::string folder = std::string(kNodes) + std::to_string(numa_node);
  std::vector<std::uint64_t> processors = NumberedEntries(calls, folder, "cpu");
  if (processors.empty() && numa_node == 0) {
    folder = kAllProcessors;
    processors = NumberedEntries(calls, folder, "cpu");
  }
  std::vector<Cache> caches;
  for (const std::uint64_t processor : processors) {
    const std::string parent = folder + "/cpu" + std::to_string(processor) + "/cache";
    for (const std::uint64_t index : NumberedEntries(calls, parent, "index")) {
      CpuCacheReader reader(calls, cpus, parent + "/index" + std::to_string(index));
      if (reader.Owner(processor) == processor) caches.push_back(reader.Read(processor));
    }
  }
  return caches;
}

}  // namespace kfdcts::thunk
