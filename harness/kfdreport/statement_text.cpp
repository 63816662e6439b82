#include <nlohmann/json.hpp>

#include "harness/kfdreport/output.h"
#include "harness/kfdreport/statement.h"
#include "harness/kfdreport/text_report.h"

namespace kfdcts::report {
namespace {

constexpr std::size_t kListed = 3;  ///< Tests and causes that a rule's paragraph names.

const RuleFinding* FindingOf(const Statement& statement, std::size_t run, const std::string& rule) {
  const auto found = statement.of_run[run].find(rule);
  return found == statement.of_run[run].end() ? nullptr : &found->second;
}

std::string CountsOf(const RuleFinding& finding) {
  std::string text;
  const auto add = [&](int count, const char* word) {
    if (count > 0) text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + word;
  };
  add(finding.passed, "passed");
  add(finding.failed, "failed");
  add(finding.flaky, "flaky");
  add(finding.expected, "failed as expected");
  add(finding.skipped, "skipped");
  return text;
}

void WriteList(std::ostream& out, const std::vector<std::string>& list) {
  for (std::size_t i = 0; i < list.size() && i < kListed; ++i) {
    out << "        " << Printable(list[i]) << "\n";
  }
  if (list.size() > kListed) out << "        and " << list.size() - kListed << " more\n";
}

void WriteFinding(std::ostream& out, const RuleFinding* finding) {
  if (finding == nullptr) {
    out << "not run: no test of it is in the run\n";
    return;
  }
  out << NameOf(finding->state) << ": " << CountsOf(*finding) << "\n";
  WriteList(out, finding->tests);
  WriteList(out, finding->causes);
  if (finding->state != RuleState::kNotRun) return;
  for (const auto& [reason, count] : finding->skip_reasons) {
    out << "        " << count << " × "
        << (reason.empty() ? "(no reason given)" : Printable(reason)) << "\n";
  }
}

void WriteRuns(std::ostream& out, const std::vector<Run>& runs, const Statement& statement) {
  for (std::size_t i = 0; i < runs.size(); ++i) {
    out << "[" << i + 1 << "] " << HeadingOf(runs[i]) << "\n";
    std::map<RuleState, int> states;
    for (const auto& rule : statement.rules) {
      const RuleFinding* finding = FindingOf(statement, i, rule);
      ++states[finding == nullptr ? RuleState::kNotRun : finding->state];
    }
    out << "    " << statement.rules.size() << " rules";
    for (const auto& [state, count] : states) out << ", " << count << " " << NameOf(state);
    out << "\n";
  }
}

nlohmann::ordered_json JsonOf(const RuleFinding& finding) {
  nlohmann::ordered_json json = {{"state", NameOf(finding.state)}, {"passed", finding.passed},
                                 {"failed", finding.failed},       {"flaky", finding.flaky},
                                 {"expected", finding.expected},   {"skipped", finding.skipped}};
  if (!finding.tests.empty()) json["tests"] = finding.tests;
  if (!finding.causes.empty()) json["causes"] = finding.causes;
  if (!finding.skip_reasons.empty()) json["skip_reasons"] = finding.skip_reasons;
  return json;
}

}  // namespace

void WriteStatement(std::ostream& out, const std::vector<Run>& runs, const Statement& statement,
                    const RuleTexts& texts) {
  WriteRuns(out, runs, statement);
  for (const auto& rule : statement.rules) {
    const auto text = texts.rules.find(rule);
    out << "\n" << Printable(rule);
    if (text != texts.rules.end()) out << "  " << Printable(text->second);
    out << "\n";
    for (std::size_t i = 0; i < runs.size(); ++i) {
      out << "    [" << i + 1 << "] ";
      WriteFinding(out, FindingOf(statement, i, rule));
    }
  }
}

void WriteStatementJson(std::ostream& out, const std::vector<Run>& runs, const Statement& statement,
                        const RuleTexts& texts) {
  nlohmann::ordered_json root;
  root["runs"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < runs.size(); ++i) {
    nlohmann::ordered_json run = {{"machine", runs[i].PropertyOf("machine")},
                                  {"kernel", runs[i].PropertyOf("kernel_release")},
                                  {"thunk", runs[i].PropertyOf("thunk")},
                                  {"files", runs[i].file}};
    run["rules"] = nlohmann::ordered_json::array();
    for (const auto& rule : statement.rules) {
      nlohmann::ordered_json entry = {{"id", rule}};
      const auto text = texts.rules.find(rule);
      if (text != texts.rules.end()) entry["text"] = text->second;
      const RuleFinding* finding = FindingOf(statement, i, rule);
      entry.update(JsonOf(finding == nullptr ? RuleFinding{} : *finding));
      run["rules"].push_back(std::move(entry));
    }
    root["runs"].push_back(std::move(run));
  }
  out << root.dump(2) << "\n";
}

}  // namespace kfdcts::report
