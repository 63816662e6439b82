#include "harness/run/record_json.h"

#include <nlohmann/json.hpp>

namespace kfdcts::harness {

using nlohmann::json;

namespace {

/// Calls `visit(name, member)` for each member of a record. A member that is not named here does
/// not compile.
template <typename Record, typename Visit>
void VisitMembers(Record& record, Visit visit) {
  auto& [suite, name, file, line, iteration, failures, failure_kind, output, kernel_log, warning,
         skipped, skip_reason, missing_capability, property, rules, skipped_rules, guards,
         properties, known_findings, expected_cause, expected_flake, expected_skip, runs,
         flake_fails, guidance, duration] = record;
  visit("suite", suite);
  visit("name", name);
  visit("file", file);
  visit("line", line);
  visit("iteration", iteration);
  visit("failures", failures);
  visit("failure_kind", failure_kind);
  visit("output", output);
  visit("kernel_log", kernel_log);
  visit("warning", warning);
  visit("skipped", skipped);
  visit("skip_reason", skip_reason);
  visit("missing_capability", missing_capability);
  visit("property", property);
  visit("rules", rules);
  visit("skipped_rules", skipped_rules);
  visit("guards", guards);
  visit("properties", properties);
  visit("known_findings", known_findings);
  visit("expected_cause", expected_cause);
  visit("expected_flake", expected_flake);
  visit("expected_skip", expected_skip);
  visit("runs", runs);
  visit("flake_fails", flake_fails);
  visit("guidance", guidance);
  visit("duration", duration);
}

template <typename T>
json Write(const T& value) {
  return value;
}
json Write(const FailureKind& kind) { return static_cast<int>(kind); }
json Write(const std::chrono::milliseconds& time) { return time.count(); }
json Write(const std::vector<Failure>& failures) {
  json list = json::array();
  for (const auto& [file, line, message, fatal] : failures) {
    list.push_back({{"file", file}, {"line", line}, {"message", message}, {"fatal", fatal}});
  }
  return list;
}
json Write(const std::vector<KnownFinding>& findings) {
  json list = json::array();
  for (const auto& [kind, cause] : findings) list.push_back({{"kind", kind}, {"cause", cause}});
  return list;
}

template <typename T>
void Read(const json& from, T& value) {
  from.get_to(value);
}
void Read(const json& from, FailureKind& kind) { kind = static_cast<FailureKind>(from.get<int>()); }
void Read(const json& from, std::chrono::milliseconds& time) {
  time = std::chrono::milliseconds(from.get<std::int64_t>());
}
void Read(const json& from, std::vector<Failure>& failures) {
  for (const auto& one : from) {
    failures.push_back({one.at("file"), one.at("line"), one.at("message"), one.at("fatal")});
  }
}
void Read(const json& from, std::vector<KnownFinding>& findings) {
  for (const auto& one : from) findings.push_back({one.at("kind"), one.at("cause")});
}

}  // namespace

json ToJson(const TestRecord& record) {
  json object;
  VisitMembers(record, [&](const char* name, const auto& member) { object[name] = Write(member); });
  return object;
}

TestRecord RecordFromJson(const json& object) {
  TestRecord record;
  VisitMembers(record, [&](const char* name, auto& member) { Read(object.at(name), member); });
  return record;
}

}  // namespace kfdcts::harness
