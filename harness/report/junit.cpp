#include "harness/report/junit.h"

#include <pugixml.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <map>
#include <numeric>
#include <sstream>
#include <system_error>

namespace kfdcts::harness {
namespace {

using Records = std::vector<const TestRecord*>;

std::string Seconds(std::chrono::milliseconds time) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3f", static_cast<double>(time.count()) / 1000.0);
  return text.data();
}

std::string Now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

void Set(pugi::xml_node node, const char* name, const std::string& value) {
  node.append_attribute(name) = XmlText(value).c_str();
}

void AddProperty(pugi::xml_node properties, const std::string& name, const std::string& value) {
  auto property = properties.append_child("property");
  Set(property, "name", name);
  Set(property, "value", value);
}

void AddText(pugi::xml_node node, const std::string& text) {
  node.append_child(pugi::node_pcdata).set_value(XmlText(text).c_str());
}

const char* TypeOf(FailureKind kind) {
  switch (kind) {
    case FailureKind::kAssertion:
      return "assertion";
    case FailureKind::kCrash:
      return "crash";
    case FailureKind::kTimeLimit:
      return "time-limit";
    case FailureKind::kGuestLost:
      return "guest-lost";
    case FailureKind::kNotRun:
      return "not-run";
  }
  return "assertion";
}

std::string Place(const Failure& failure) {
  if (failure.file.empty()) return "";
  return failure.file + ":" + std::to_string(failure.line) + "\n";
}

std::string FirstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

void SetCounts(pugi::xml_node node, const Records& records) {
  const auto count = [&](auto matches) {
    return std::to_string(std::count_if(records.begin(), records.end(), matches));
  };
  const auto time =
      std::accumulate(records.begin(), records.end(), std::chrono::milliseconds{0},
                      [](auto sum, const TestRecord* record) { return sum + record->duration; });
  Set(node, "tests", std::to_string(records.size()));
  Set(node, "failures", count([](auto* record) { return record->UnexpectedFailure(); }));
  Set(node, "errors", "0");
  Set(node, "skipped",
      count([](auto* record) { return record->Skipped() || record->ExpectedFailure(); }));
  Set(node, "time", Seconds(time));
}

void AddProperties(pugi::xml_node testcase, const TestRecord& record) {
  auto properties = testcase.append_child("properties");
  for (const auto& rule : record.rules) AddProperty(properties, "rule", rule);
  for (const auto& rule : record.skipped_rules) AddProperty(properties, "skipped_rule", rule);
  for (const auto& bug : record.guards) AddProperty(properties, "bug", bug);
  if (!record.property.empty()) AddProperty(properties, "property", record.property);
  if (!record.missing_capability.empty()) {
    AddProperty(properties, "missing_capability", record.missing_capability);
  }
  if (record.ExpectedFailure()) {
    AddProperty(properties, "expected_failure", record.expected_cause);
  }
  if (record.ExpectedFailure() && record.expected_flake) {
    AddProperty(properties, "expected_flake", record.expected_cause);
  }
  if (!record.expected_skip.empty()) {
    AddProperty(properties, "expected_skip", record.expected_skip);
  }
  if (record.UnexpectedPass()) AddProperty(properties, "unexpected_pass", record.expected_cause);
  if (!record.runs.empty()) {
    AddProperty(properties, record.Flake() ? "flake" : "same_in_runs", record.Runs());
  }
  if (record.iteration > 1) {
    AddProperty(properties, "iteration", std::to_string(record.iteration));
  }
  if (!record.warning.empty()) AddProperty(properties, "warn", record.warning);
  for (const auto& [name, value] : record.properties) AddProperty(properties, name, value);
}

void AddVerdict(pugi::xml_node testcase, const TestRecord& record) {
  if (record.UnexpectedFailure()) {
    for (const auto& failure : record.failures) {
      auto node = testcase.append_child("failure");
      Set(node, "message", FirstLine(failure.message));
      Set(node, "type", TypeOf(record.failure_kind));
      const bool last = &failure == &record.failures.back();
      AddText(node, Place(failure) + failure.message +
                        (last && !record.guidance.empty() ? "\n" + record.guidance : ""));
    }
  } else if (record.ExpectedFailure() || record.Skipped()) {
    auto node = testcase.append_child("skipped");
    Set(node, "message",
        record.Skipped() ? record.skip_reason : "expected failure: " + record.expected_cause);
    if (record.ExpectedFailure()) Set(node, "type", "expected-failure");
    if (!record.expected_skip.empty()) Set(node, "type", "expected-skip");
  }
  std::string output;
  if (record.Failed() && !record.UnexpectedFailure()) {
    for (const auto& failure : record.failures) output += Place(failure) + failure.message + "\n";
  }
  output += record.output;
  if (!output.empty()) AddText(testcase.append_child("system-out"), output);
  std::string kernel_log;
  for (const auto& line : record.kernel_log) kernel_log += line + "\n";
  if (!kernel_log.empty()) AddText(testcase.append_child("system-err"), kernel_log);
}

void AddSuite(pugi::xml_node root, const std::string& name, const RunInfo& run,
              const Records& records, const std::string& timestamp) {
  auto suite = root.append_child("testsuite");
  Set(suite, "name", name);
  SetCounts(suite, records);
  Set(suite, "timestamp", timestamp);
  auto properties = suite.append_child("properties");
  for (const auto& [key, value] : run.Properties()) AddProperty(properties, key, value);
  for (const TestRecord* record : records) {
    auto testcase = suite.append_child("testcase");
    Set(testcase, "name", record->name);
    Set(testcase, "classname", record->suite);
    Set(testcase, "time", Seconds(record->duration));
    Set(testcase, "file", record->file);
    Set(testcase, "line", std::to_string(record->line));
    AddProperties(testcase, *record);
    AddVerdict(testcase, *record);
  }
}

/// Length of the valid UTF-8 sequence at the start of `text`, 0 where it is broken.
std::size_t SequenceLength(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  std::size_t length = 1;
  if (first >= 0xC2 && first < 0xE0) length = 2;
  if (first >= 0xE0 && first < 0xF0) length = 3;
  if (first >= 0xF0 && first < 0xF5) length = 4;
  if (length == 1) return first < 0x80 ? 1 : 0;
  if (text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return 0;
  }
  // Overlong forms, surrogates, beyond U+10FFFF, and the two that XML excludes.
  if (first == 0xE0 && byte(1) < 0xA0) return 0;
  if (first == 0xED && byte(1) >= 0xA0) return 0;
  if (first == 0xF0 && byte(1) < 0x90) return 0;
  if (first == 0xF4 && byte(1) >= 0x90) return 0;
  if (text.substr(0, 3) == "\xEF\xBF\xBE" || text.substr(0, 3) == "\xEF\xBF\xBF") return 0;
  return length;
}

}  // namespace

std::string XmlText(std::string_view text) {
  std::string clean;
  while (!text.empty()) {
    const std::size_t length = SequenceLength(text);
    const auto first = static_cast<unsigned char>(text[0]);
    const bool control = length == 1 && (first < 0x20 || first == 0x7F) && first != '\n' &&
                         first != '\t' && first != '\r';
    if (length == 0 || control) {
      clean += '?';
      text.remove_prefix(1);
    } else {
      clean += text.substr(0, length);
      text.remove_prefix(length);
    }
  }
  return clean;
}

void WriteJUnit(std::ostream& out, const RunInfo& run, const std::vector<TestRecord>& records) {
  pugi::xml_document document;
  auto declaration = document.append_child(pugi::node_declaration);
  declaration.append_attribute("version") = "1.0";
  declaration.append_attribute("encoding") = "UTF-8";

  Records all;
  std::vector<std::string> order;
  std::map<std::string, Records> suites;
  for (const auto& record : records) {
    all.push_back(&record);
    if (!suites.contains(record.suite)) order.push_back(record.suite);
    suites[record.suite].push_back(&record);
  }
  const std::string timestamp = Now();
  auto root = document.append_child("testsuites");
  Set(root, "name", "kfdcts");
  SetCounts(root, all);
  Set(root, "timestamp", timestamp);
  for (const auto& name : order) AddSuite(root, name, run, suites[name], timestamp);
  document.save(out, "  ");
}

void WriteJUnitFile(const std::filesystem::path& file, const RunInfo& run,
                    const std::vector<TestRecord>& records) {
  std::ostringstream text;
  WriteJUnit(text, run, records);
  ReplaceFile(file, text.str());
}

void ReplaceFile(const std::filesystem::path& file, std::string_view content) {
  const std::filesystem::path temporary = file.string() + ".new";
  {
    std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
    out << content;
    out.close();
    if (!out) {
      const int error = errno;
      std::error_code ignored;
      std::filesystem::remove(temporary, ignored);
      throw std::system_error(error, std::generic_category(), file.string());
    }
  }
  std::filesystem::rename(temporary, file);
}

}  // namespace kfdcts::harness
