#pragma once

#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "harness/scenario/scenario.h"

namespace kfdcts::harness::scenario {

/// A word of a scenario file and what it means.
template <typename T>
struct Word {
  std::string_view word;
  T value;
};

extern const Word<Scope> kScopes[3];
extern const Word<Xnack> kXnackModes[3];
extern const Word<Process> kProcesses[2];
extern const Word<MapKind> kMapKinds[5];
extern const Word<EngineKind> kEngines[2];
extern const Word<AtomicKind> kAtomics[6];
extern const Word<Status> kStatuses[6];
extern const Word<Attribute::Kind> kAttributes[8];
extern const Word<Contents::Kind> kContents[3];
extern const Word<std::uint32_t> kFlags[8];
extern const Word<Peek::By> kPeekers[3];
extern const Word<int> kAdvices[10];
extern const Word<int> kProtections[3];
extern const Word<EventKind> kEvents[7];

/// Triggers are numbered apart for migrations, queue evictions and unmaps.
extern const Word<std::uint32_t> kMigrateTriggers[4];
extern const Word<std::uint32_t> kEvictionTriggers[4];
extern const Word<std::uint32_t> kUnmapTriggers[3];

template <typename T, std::size_t N>
std::optional<T> FindWord(const Word<T> (&table)[N], std::string_view word) {
  for (const auto& entry : table) {
    if (entry.word == word) return entry.value;
  }
  return std::nullopt;
}

/// The word for `value`, which the table has.
template <typename T, std::size_t N>
std::string WordOf(const Word<T> (&table)[N], T value) {
  for (const auto& entry : table) {
    if (entry.value == value) return std::string(entry.word);
  }
  return "?";
}

/// "anonymous, shared, …", for messages.
template <typename T, std::size_t N>
std::string AllWords(const Word<T> (&table)[N]) {
  std::string list;
  for (const auto& entry : table) list += (list.empty() ? "" : ", ") + std::string(entry.word);
  return list;
}

std::string Text(const Pages& pages);
std::string Text(const Place& place);
std::string Text(const Attribute& attribute);
/// "coherent+gpu-ro", "none", "host-access+0x100".
std::string FlagsText(std::uint32_t flags);

std::optional<Place> ParsePlace(std::string_view text);
std::optional<std::uint32_t> ParseFlags(std::string_view text);
/// "access gpu0", "granularity 5", …
std::optional<Attribute> ParseAttribute(std::string_view text);

/// Name and page numbers as a file gives them; without page numbers `count` is 0.
std::optional<Pages> ParsePages(std::string_view text);
/// Letters, digits and '_', a letter first, and no word that YAML takes for something else.
bool IsName(std::string_view text);

}  // namespace kfdcts::harness::scenario
