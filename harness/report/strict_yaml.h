#pragma once

#include <yaml-cpp/yaml.h>

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "harness/report/fixture_error.h"

namespace kfdcts::harness {

/// A mapping in a YAML file of which every key must be known. All functions throw FixtureError.
class StrictMapping {
 public:
  /// The root of `file`, which may hold `keys` and nothing else, none of them twice.
  static StrictMapping Load(const std::filesystem::path& file,
                            std::initializer_list<std::string_view> keys);

  /// The elements of the sequence `key`, mappings that may hold `keys` and nothing else.
  std::vector<StrictMapping> Elements(std::string_view key,
                                      std::initializer_list<std::string_view> keys) const;

  /// The mapping `key`, which may hold `keys` and nothing else.
  StrictMapping Child(std::string_view key, std::initializer_list<std::string_view> keys) const;

  bool Has(std::string_view key) const;

  /// Where the mapping begins, from 1.
  int Line() const { return node_.Mark().line + 1; }

  /// A scalar that must be there and not be empty.
  std::string Text(std::string_view key) const;

  /// A scalar that may be absent; `otherwise` then.
  std::string Text(std::string_view key, std::string otherwise) const;

  /// A sequence of scalars that must be there.
  std::vector<std::string> Texts(std::string_view key) const;

  /// A text that must be there and that every YAML reader takes for one: nothing that without
  /// quotes is a number, a boolean or null.
  std::string Word(std::string_view key) const;

  /// Such texts; the list must be there.
  std::vector<std::string> Words(std::string_view key) const;

  /// A whole number from `least` to `most`, decimal or as 0x…, without quotes.
  std::uint64_t Number(std::string_view key, std::uint64_t least, std::uint64_t most) const;

  /// The error for this mapping's `key`.
  FixtureError Error(std::string_view key, std::string_view reason) const;

 private:
  StrictMapping(std::filesystem::path file, YAML::Node node,
                std::initializer_list<std::string_view> keys);
  YAML::Node Require(std::string_view key) const;

  std::filesystem::path file_;
  YAML::Node node_;
};

}  // namespace kfdcts::harness
