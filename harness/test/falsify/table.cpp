#include "harness/test/falsify/table.h"

#include <yaml-cpp/yaml.h>

#include <set>

namespace kfdcts::falsify {
namespace {

[[noreturn]] void Refuse(const std::filesystem::path& file, const YAML::Mark& mark,
                         const std::string& reason) {
  throw TableError(file.string() + ":" + std::to_string(mark.line + 1) + ": " + reason);
}

std::string Text(const std::filesystem::path& file, const YAML::Node& entry, const char* key) {
  const YAML::Node value = entry[key];
  if (!value.IsDefined()) Refuse(file, entry.Mark(), std::string("no \"") + key + "\"");
  if (!value.IsScalar() || value.Scalar().empty()) {
    Refuse(file, value.Mark(), std::string("\"") + key + "\" is no text");
  }
  return value.Scalar();
}

Falsification ReadEntry(const std::filesystem::path& file, const YAML::Node& entry) {
  static const std::set<std::string> kKeys = {"name", "what", "red"};
  if (!entry.IsMap()) Refuse(file, entry.Mark(), "not a mapping of name, what and red");
  for (const auto& pair : entry) {
    const std::string key = pair.first.Scalar();
    if (!kKeys.contains(key)) Refuse(file, pair.first.Mark(), "unknown key \"" + key + "\"");
  }
  Falsification falsification{Text(file, entry, "name"), Text(file, entry, "what"), {}};
  const YAML::Node red = entry["red"];
  if (!red.IsDefined() || !red.IsSequence() || red.size() == 0) {
    Refuse(file, entry.Mark(), "\"red\" is no list of test filters");
  }
  for (const YAML::Node& filter : red) falsification.red.push_back(filter.Scalar());
  return falsification;
}

}  // namespace

std::vector<Falsification> ReadTable(const std::filesystem::path& file) {
  YAML::Node root;
  try {
    root = YAML::LoadFile(file.string());
  } catch (const YAML::BadFile&) {
    throw TableError(file.string() + ": cannot be read");
  } catch (const YAML::ParserException& error) {
    Refuse(file, error.mark, error.msg);
  }
  if (!root.IsSequence()) Refuse(file, root.Mark(), "not a list");
  std::vector<Falsification> table;
  std::set<std::string> names;
  for (const YAML::Node& entry : root) {
    table.push_back(ReadEntry(file, entry));
    if (!names.insert(table.back().name).second) {
      Refuse(file, entry.Mark(), "\"" + table.back().name + "\" comes twice");
    }
  }
  return table;
}

}  // namespace kfdcts::falsify
