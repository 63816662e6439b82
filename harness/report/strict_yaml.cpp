#include "harness/report/strict_yaml.h"

#include <algorithm>
#include <set>
#include <utility>

namespace kfdcts::harness {
namespace {

FixtureError ErrorAt(const std::filesystem::path& file, const YAML::Mark& mark,
                     std::string_view key, std::string_view reason) {
  std::string text = file.string();
  if (!mark.is_null()) text += ":" + std::to_string(mark.line + 1);
  if (!key.empty()) text += ": " + std::string(key);
  return FixtureError(text + ": " + std::string(reason));
}

}  // namespace

StrictMapping::StrictMapping(std::filesystem::path file, YAML::Node node,
                             std::initializer_list<std::string_view> keys)
    : file_(std::move(file)), node_(std::move(node)) {
  if (!node_.IsMap()) throw ErrorAt(file_, node_.Mark(), "", "a mapping was expected");
  std::set<std::string> seen;
  for (const auto& entry : node_) {
    const auto key = entry.first.as<std::string>();
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
      throw ErrorAt(file_, entry.first.Mark(), key, "unknown key");
    }
    if (!seen.insert(key).second) throw ErrorAt(file_, entry.first.Mark(), key, "given twice");
  }
}

StrictMapping StrictMapping::Load(const std::filesystem::path& file,
                                  std::initializer_list<std::string_view> keys) {
  try {
    return StrictMapping(file, YAML::LoadFile(file.string()), keys);
  } catch (const YAML::BadFile&) {
    throw FixtureError(file.string() + ": cannot be read");
  } catch (const YAML::Exception& error) {
    throw ErrorAt(file, error.mark, "", error.msg);
  }
}

std::vector<StrictMapping> StrictMapping::Elements(
    std::string_view key, std::initializer_list<std::string_view> keys) const {
  const YAML::Node list = Require(key);
  if (!list.IsSequence()) throw Error(key, "a list was expected");
  std::vector<StrictMapping> elements;
  for (const auto& element : list) elements.push_back(StrictMapping(file_, element, keys));
  return elements;
}

bool StrictMapping::Has(std::string_view key) const {
  return static_cast<bool>(node_[std::string(key)]);
}

YAML::Node StrictMapping::Require(std::string_view key) const {
  YAML::Node value = node_[std::string(key)];
  if (!value) throw Error(key, "missing");
  return value;
}

std::string StrictMapping::Text(std::string_view key) const {
  const YAML::Node value = Require(key);
  if (!value.IsScalar() || value.Scalar().empty()) throw Error(key, "a text was expected");
  return value.Scalar();
}

std::string StrictMapping::Text(std::string_view key, std::string otherwise) const {
  return Has(key) ? Text(key) : std::move(otherwise);
}

std::vector<std::string> StrictMapping::Texts(std::string_view key) const {
  const YAML::Node list = Require(key);
  if (!list.IsSequence()) throw Error(key, "a list was expected");
  std::vector<std::string> texts;
  for (const auto& element : list) {
    if (!element.IsScalar()) throw Error(key, "a list of texts was expected");
    texts.push_back(element.Scalar());
  }
  return texts;
}

FixtureError StrictMapping::Error(std::string_view key, std::string_view reason) const {
  // The key's own place: an empty value's is on some later line.
  for (const auto& entry : node_) {
    if (entry.first.Scalar() == key) return ErrorAt(file_, entry.first.Mark(), key, reason);
  }
  return ErrorAt(file_, node_.Mark(), key, reason);
}

}  // namespace kfdcts::harness
