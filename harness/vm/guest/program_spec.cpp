#include "harness/vm/guest/program_spec.h"

#include <charconv>

namespace kfdcts::vm {
namespace {

void Add(std::string& text, std::string_view key, std::string_view value) {
  text.append(key).append("=").append(value).push_back('\0');
}

template <typename T>
bool Number(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

bool Flag(std::string_view text, bool& value) {
  value = text == "1";
  return text == "0" || text == "1";
}

bool Take(ProgramSpec& spec, std::string_view key, std::string_view value) {
  if (key == "arg") {
    spec.command.emplace_back(value);
    return true;
  }
  if (key == "env") {
    spec.environment.emplace_back(value);
    return value.find('=') != std::string_view::npos;
  }
  if (key == "cwd") {
    spec.working_directory = value;
    return value.starts_with('/');
  }
  if (key == "group") {
    return Number(value, spec.groups.emplace_back());
  }
  return (key == "uid" && Number(value, spec.uid)) || (key == "gid" && Number(value, spec.gid)) ||
         (key == "rows" && Number(value, spec.rows)) ||
         (key == "columns" && Number(value, spec.columns)) ||
         (key == "open-path" && Flag(value, spec.open_path)) ||
         (key == "terminal" && Flag(value, spec.terminal));
}

}  // namespace

std::string ProgramSpec::Serialise() const {
  std::string text;
  for (const std::string& argument : command) {
    Add(text, "arg", argument);
  }
  for (const std::string& variable : environment) {
    Add(text, "env", variable);
  }
  Add(text, "cwd", working_directory);
  Add(text, "uid", std::to_string(uid));
  Add(text, "gid", std::to_string(gid));
  for (const gid_t group : groups) {
    Add(text, "group", std::to_string(group));
  }
  Add(text, "open-path", open_path ? "1" : "0");
  Add(text, "terminal", terminal ? "1" : "0");
  Add(text, "rows", std::to_string(rows));
  Add(text, "columns", std::to_string(columns));
  return text;
}

std::optional<ProgramSpec> ProgramSpec::Parse(std::string_view text) {
  ProgramSpec spec;
  while (!text.empty()) {
    const auto end = text.find('\0');
    if (end == std::string_view::npos) {
      return std::nullopt;
    }
    const std::string_view record = text.substr(0, end);
    const auto equals = record.find('=');
    if (equals == std::string_view::npos ||
        !Take(spec, record.substr(0, equals), record.substr(equals + 1))) {
      return std::nullopt;
    }
    text.remove_prefix(end + 1);
  }
  if (spec.command.empty() || spec.working_directory.empty()) {
    return std::nullopt;
  }
  return spec;
}

}  // namespace kfdcts::vm
