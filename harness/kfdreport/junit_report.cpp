#include "harness/kfdreport/junit_report.h"

#include <algorithm>
#include <numeric>
#include <pugixml.hpp>
#include <string>

#include "harness/kfdreport/case_builder.h"
#include "harness/kfdreport/output.h"

namespace kfdcts::report {
namespace {

using Cases = std::vector<const Case*>;

void Set(pugi::xml_node node, const char* name, const std::string& value) {
  node.append_attribute(name) = value.c_str();
}

void AddText(pugi::xml_node node, const std::string& text) {
  if (!text.empty()) node.append_child(pugi::node_pcdata).set_value(text.c_str());
}

bool IsSkipElement(Verdict verdict) {
  return verdict == Verdict::kSkip || verdict == Verdict::kExpectedFail;
}

template <typename Matches>
std::string Count(const Cases& cases, Matches matches) {
  return std::to_string(std::count_if(cases.begin(), cases.end(),
                                      [&](const Case* one) { return matches(one->verdict); }));
}

std::string Time(const Cases& cases) {
  return Milliseconds(
      std::accumulate(cases.begin(), cases.end(), 0.0,
                      [](double sum, const Case* one) { return sum + one->seconds; }));
}

void SetCounts(pugi::xml_node node, const Cases& cases) {
  Set(node, "tests", std::to_string(cases.size()));
  Set(node, "failures", Count(cases, IsBad));
  Set(node, "errors", "0");
}

const char* TypeOf(Verdict verdict) {
  if (verdict == Verdict::kCrash) return "crash";
  if (verdict == Verdict::kTimeout) return "time-limit";
  return "assertion";
}

void AddVerdict(pugi::xml_node testcase, const Case& one) {
  pugi::xml_node node;
  if (IsBad(one.verdict)) {
    node = testcase.append_child("failure");
    Set(node, "type", TypeOf(one.verdict));
  } else if (one.verdict == Verdict::kFlake) {
    node = testcase.append_child("flakyFailure");
    Set(node, "type", "flake");
  } else if (IsSkipElement(one.verdict)) {
    node = testcase.append_child("skipped");
    if (one.verdict == Verdict::kExpectedFail) Set(node, "type", "expected-failure");
  } else {
    return;
  }
  Set(node, "message", one.message);
  // A failure without a text has its message for one, as a reader takes it.
  const bool told = IsSkipElement(one.verdict) || !one.details.empty();
  AddText(node, told ? one.details : one.message);
}

std::string OutputOf(const Case& one) {
  std::string text;
  const auto add = [&](std::string_view name, std::string_view value) {
    text += PropertyLine(name, value) + "\n";
  };
  for (const auto& rule : one.rules) add("rule", rule);
  for (const auto& bug : one.bugs) add("bug", bug);
  for (const auto& [name, value] : one.properties) add(name, value);
  return text + one.output;
}

void AddCase(pugi::xml_node suite, const Case& one) {
  auto testcase = suite.append_child("testcase");
  Set(testcase, "name", one.name);
  Set(testcase, "classname", one.suite);
  Set(testcase, "time", Milliseconds(one.seconds));
  AddVerdict(testcase, one);
  const std::string output = OutputOf(one);
  if (!output.empty()) AddText(testcase.append_child("system-out"), output);
  if (!one.kernel_log.empty()) AddText(testcase.append_child("system-err"), one.kernel_log);
}

/// A suite is built, written and forgotten.
void WriteSuite(std::ostream& out, const Run& run, const Cases& cases) {
  pugi::xml_document document;
  auto suite = document.append_child("testsuite");
  Set(suite, "name", cases.front()->suite);
  SetCounts(suite, cases);
  Set(suite, "skipped", Count(cases, IsSkipElement));
  Set(suite, "time", Time(cases));
  auto properties = suite.append_child("properties");
  for (const auto& [name, value] : run.properties) {
    if (name == "timestamp" || name == "hostname") {
      Set(suite, name.c_str(), value);
      continue;
    }
    auto property = properties.append_child("property");
    Set(property, "name", name);
    Set(property, "value", value);
  }
  for (const Case* one : cases) AddCase(suite, *one);
  suite.print(out, "  ", pugi::format_default, pugi::encoding_utf8, 1);
}

}  // namespace

void WriteJUnit(std::ostream& out, const std::vector<Run>& runs) {
  Cases all;
  for (const auto& run : runs) {
    for (const auto& one : run.cases) all.push_back(&one);
  }
  out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"kfdreport\" tests=\""
      << all.size() << "\" failures=\"" << Count(all, IsBad) << "\" errors=\"0\" time=\""
      << Time(all) << "\">\n";
  for (const auto& run : runs) {
    for (const auto& cases : BySuite(run)) WriteSuite(out, run, cases);
  }
  out << "</testsuites>\n";
}

}  // namespace kfdcts::report
