#include "harness/scenario/field_reader.h"

namespace kfdcts::harness::scenario {

Contents ReadContents(const StrictMapping& fields) {
  std::optional<Contents> contents;
  for (const auto& [word, kind] : kContents) {
    if (!fields.Has(word)) continue;
    if (contents) throw fields.Error(word, "value, word and pattern exclude one another");
    contents = Contents{kind, static_cast<std::uint32_t>(fields.Number(word, 0, 0xffffffff))};
  }
  if (!contents) throw fields.Error("value", "missing, and word and pattern, too");
  return *contents;
}

bool HasContents(const StrictMapping& fields) {
  return fields.Has("value") || fields.Has("word") || fields.Has("pattern");
}

std::uint32_t ReadFlags(const StrictMapping& fields, std::string_view key) {
  const std::string text = fields.Word(key);
  if (const auto flags = ParseFlags(text)) return *flags;
  throw fields.Error(key,
                     "\"" + text + "\" is not none or a sum of " + AllWords(kFlags) + " and 0x…");
}

std::string KnownName(const StrictMapping& fields, const std::set<std::string>& names) {
  const std::string name = fields.Word("name");
  if (!names.contains(name)) throw fields.Error("name", "there is no \"" + name + "\"");
  return name;
}

}  // namespace kfdcts::harness::scenario
