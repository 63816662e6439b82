#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/report/strict_yaml.h"
#include "harness/scenario/words.h"

namespace kfdcts::harness::scenario {

/// The value of `key`, one of the table's words. Throws FixtureError.
template <typename T, std::size_t N>
T ReadWord(const StrictMapping& fields, std::string_view key, const Word<T> (&table)[N]) {
  const std::string word = fields.Word(key);
  if (const auto value = FindWord(table, word)) return *value;
  throw fields.Error(key, "\"" + word + "\" is none of " + AllWords(table));
}

/// The same where the key may be absent.
template <typename T, std::size_t N>
T ReadWord(const StrictMapping& fields, std::string_view key, const Word<T> (&table)[N],
           T otherwise) {
  return fields.Has(key) ? ReadWord(fields, key, table) : otherwise;
}

template <typename T, std::size_t N>
std::vector<T> ReadWords(const StrictMapping& fields, std::string_view key,
                         const Word<T> (&table)[N]) {
  std::vector<T> values;
  for (const auto& word : fields.Words(key)) {
    const auto value = FindWord(table, word);
    if (!value) throw fields.Error(key, "\"" + word + "\" is none of " + AllWords(table));
    values.push_back(*value);
  }
  return values;
}

/// Exactly one of the keys value, word and pattern. Throws FixtureError.
Contents ReadContents(const StrictMapping& fields);
bool HasContents(const StrictMapping& fields);

std::uint32_t ReadFlags(const StrictMapping& fields, std::string_view key);

/// A name of `names`. Throws FixtureError.
std::string KnownName(const StrictMapping& fields, const std::set<std::string>& names);

}  // namespace kfdcts::harness::scenario
