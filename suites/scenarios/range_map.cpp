#include "suites/scenarios/range_map.h"

#include <sstream>
#include <stdexcept>

#include "suites/scenarios/attributes.h"
#include "suites/support/memory.h"

namespace kfdcts::suites {
namespace {

/// Beyond this many pages of a mapping the map would be longer than anybody reads.
constexpr std::size_t kMostPages = 128;

std::string PageText(const ScenarioBase& test, std::span<std::byte> page) {
  const auto answer = Ask(test, page);
  if (const auto* state = std::get_if<SvmState>(&answer)) return Text(*state);
  return "no answer: " + NameOf(std::get<HSAKMT_STATUS>(answer));
}

std::string ResidencyText(std::span<std::byte> pages) {
  try {
    return Residency(pages);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

void AddMapping(const ScenarioBase& test, const std::string& name, const SvmMemory& memory,
                std::ostream& out) {
  const std::size_t count = std::min(memory.page_count(), kMostPages);
  for (std::size_t first = 0; first < count;) {
    const std::string text = PageText(test, memory.Pages(first));
    std::size_t end = first + 1;
    while (end < count && PageText(test, memory.Pages(end)) == text) ++end;
    const auto pages = memory.Pages(first, end - first);
    out << "  " << name << ' ' << first << '-' << end - 1 << "  " << pages.data() << "  "
        << pages.size() / 1024 << " KiB  " << text << "  " << ResidencyText(pages) << '\n';
    first = end;
  }
  if (count < memory.page_count()) {
    out << "  " << name << ": " << memory.page_count() - count << " pages more\n";
  }
}

}  // namespace

std::string MapText(const ScenarioBase& test, const Mappings& mappings) {
  std::ostringstream out;
  for (const auto& [name, memory] : mappings) AddMapping(test, name, *memory, out);
  return out.str();
}

}  // namespace kfdcts::suites
