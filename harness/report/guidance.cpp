#include "harness/report/guidance.h"

#include <regex>

namespace kfdcts::harness {
namespace {

constexpr std::string_view kColon = ": ";

std::string BugLine(const KnownBug& bug) {
  const std::string fix = FixOf(bug);
  const std::string line = "It guards " + bug.id + ": " + SymptomOf(bug) + "\n  ";
  return line +
         (fix.empty() ? "no fix of it is known here; its cause: " + bug.cause
                      : "the fix that may be missing: " + fix) +
         "\n";
}

}  // namespace

std::string FixOf(const KnownBug& bug) {
  static const std::regex names_one(R"(\b[0-9a-f]{8,}\b|\bPR [0-9]|\bpatch\b)");
  const auto colon = bug.what.find(kColon);
  if (colon == std::string::npos) return "";
  std::string head = bug.what.substr(0, colon);
  return std::regex_search(head, names_one) ? head : "";
}

std::string SymptomOf(const KnownBug& bug) {
  const std::string fix = FixOf(bug);
  return fix.empty() ? bug.what : bug.what.substr(fix.size() + kColon.size());
}

std::string Guidance(const TestRecord& record, const RuleBook& book) {
  std::string text;
  if (!record.property.empty()) text += "Expected: " + record.property + "\n";
  for (const auto& id : record.rules) {
    if (const Rule* rule = book.FindRule(id)) text += "By rule " + id + ": " + rule->text + "\n";
  }
  for (const auto& id : record.guards) {
    if (const KnownBug* bug = book.FindBug(id)) text += BugLine(*bug);
  }
  return text;
}

}  // namespace kfdcts::harness
