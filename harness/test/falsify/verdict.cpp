#include "harness/test/falsify/verdict.h"

#include <pugixml.hpp>
#include <stdexcept>
#include <string_view>

#include "harness/run/glob.h"

namespace kfdcts::falsify {
namespace {

Outcome OutcomeOf(const pugi::xml_node& testcase) {
  if (testcase.child("failure") || testcase.child("error")) return Outcome::kFailed;
  const pugi::xml_node skipped = testcase.child("skipped");
  if (!skipped) return Outcome::kPassed;
  const std::string_view type = skipped.attribute("type").value();
  return type == "expected-failure" ? Outcome::kFailed : Outcome::kSkipped;
}

}  // namespace

Outcomes ReadJunit(const std::filesystem::path& file) {
  pugi::xml_document document;
  const pugi::xml_parse_result result = document.load_file(file.c_str());
  if (!result) throw std::runtime_error(file.string() + ": " + result.description());
  Outcomes outcomes;
  for (const auto& suite : document.child("testsuites").children("testsuite")) {
    for (const auto& testcase : suite.children("testcase")) {
      const std::string name = std::string(testcase.attribute("classname").value()) + "." +
                               testcase.attribute("name").value();
      outcomes[name] = OutcomeOf(testcase);
    }
  }
  return outcomes;
}

Verdict Judge(const std::vector<std::string>& filters, const Outcomes& outcomes) {
  Verdict verdict;
  for (const std::string& filter : filters) {
    bool any = false;
    for (const auto& [name, outcome] : outcomes) {
      if (!harness::MatchesGlob(filter, name)) continue;
      any = true;
      if (outcome == Outcome::kFailed) {
        ++verdict.red;
      } else {
        verdict.not_red.push_back(name +
                                  (outcome == Outcome::kPassed ? " (passed)" : " (skipped)"));
      }
    }
    if (!any) verdict.match_none.push_back(filter);
  }
  return verdict;
}

}  // namespace kfdcts::falsify
