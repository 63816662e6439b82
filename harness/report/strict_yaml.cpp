#include "harness/report/strict_yaml.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <system_error>
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

bool IsQuoted(const YAML::Node& node) { return node.Tag() == "!"; }

/// Decimal without a leading zero, or 0x…
std::optional<std::uint64_t> WholeNumber(const YAML::Node& node) {
  if (!node.IsScalar()) return std::nullopt;
  const std::string& text = node.Scalar();
  const bool hex = text.starts_with("0x");
  if (!hex && text.size() > 1 && text[0] == '0') return std::nullopt;
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] =
      std::from_chars(text.data() + (hex ? 2 : 0), end, number, hex ? 16 : 10);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

bool IsText(const YAML::Node& node) {
  if (!node.IsScalar() || node.Scalar().empty()) return false;
  if (IsQuoted(node)) return true;
  std::string text = node.Scalar();
  std::transform(text.begin(), text.end(), text.begin(), [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  });
  static const std::set<std::string> others = {"true", "false", "yes",  "no",
                                               "on",   "off",   "null", "~"};
  if (others.contains(text)) return false;
  // A number of any kind.
  return text.find_first_not_of("0123456789.+-_:xeabcdf") != std::string::npos ||
         text.find_first_of("0123456789") == std::string::npos ||
         (text[0] >= 'a' && text[0] <= 'z');
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

StrictMapping StrictMapping::Child(std::string_view key,
                                   std::initializer_list<std::string_view> keys) const {
  const YAML::Node value = Require(key);
  if (!value.IsMap()) throw Error(key, "a mapping was expected");
  return StrictMapping(file_, value, keys);
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

std::string StrictMapping::Word(std::string_view key) const {
  const YAML::Node value = Require(key);
  if (!IsText(value)) throw Error(key, "a text was expected");
  return value.Scalar();
}

std::vector<std::string> StrictMapping::Words(std::string_view key) const {
  const YAML::Node list = Require(key);
  if (!list.IsSequence()) throw Error(key, "a list was expected");
  std::vector<std::string> texts;
  for (const auto& element : list) {
    if (!IsText(element)) throw Error(key, "a list of texts was expected");
    texts.push_back(element.Scalar());
  }
  return texts;
}

std::uint64_t StrictMapping::Number(std::string_view key, std::uint64_t least,
                                    std::uint64_t most) const {
  const YAML::Node value = Require(key);
  const auto number = IsQuoted(value) ? std::nullopt : WholeNumber(value);
  if (!number) throw Error(key, "a whole number was expected");
  if (*number < least || *number > most) {
    throw Error(key, std::to_string(*number) + " is not within " + std::to_string(least) + "…" +
                         std::to_string(most));
  }
  return *number;
}

FixtureError StrictMapping::Error(std::string_view key, std::string_view reason) const {
  // The key's own place: an empty value's is on some later line.
  for (const auto& entry : node_) {
    if (entry.first.Scalar() == key) return ErrorAt(file_, entry.first.Mark(), key, reason);
  }
  return ErrorAt(file_, node_.Mark(), key, reason);
}

}  // namespace kfdcts::harness
