#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/kfdreport/capped_text.h"
#include "harness/kfdreport/case_builder.h"
#include "harness/kfdreport/report.h"

namespace kfdcts::report {

/// Turns the elements of a JUnit file into runs. Its functions throw BadValue.
class JUnitParser {
 public:
  using Attributes = std::vector<std::pair<std::string_view, std::string_view>>;

  JUnitParser(std::string file, TextBudget& budget) : file_(std::move(file)), budget_(budget) {}

  void Begin(std::string_view element, const Attributes& attributes);
  void Text(std::string_view piece);
  void End();

  std::vector<Run> Take();

 private:
  enum class Element { kSuites, kSuite, kCase, kCaseChild, kProperties, kProperty, kOther };
  struct Suite {
    std::string name;
    std::map<std::string, std::string> properties;
    std::vector<Case> cases;
  };

  Element Classify(std::string_view element) const;
  void BeginSuite(const Attributes& attributes);
  void BeginCase(const Attributes& attributes);
  void BeginCaseChild(std::string_view element, const Attributes& attributes);
  void BeginProperty(const Attributes& attributes);
  /// Its cases go to the run of its configuration.
  void EndSuite();

  std::string file_;
  TextBudget& budget_;
  std::vector<Element> open_;
  std::vector<Suite> suites_;  ///< Open ones, the root included; inner ones inherit properties.
  std::unique_ptr<CaseBuilder> case_;
  std::string property_name_;
  std::vector<Run> runs_;
  std::map<std::string, std::size_t> run_of_;  ///< By configuration, into runs_.
};

/// Takes what `more` says of a run beside what is known: values that differ are joined by "; ",
/// of "timestamp" the earliest stays.
void UniteProperties(std::map<std::string, std::string>& known,
                     const std::map<std::string, std::string>& more);

}  // namespace kfdcts::report
