#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/kfdreport/capped_text.h"
#include "harness/kfdreport/report.h"

namespace kfdcts::report {

/// Puts a Case together from the pieces of a <testcase>.
class CaseBuilder {
 public:
  explicit CaseBuilder(TextBudget& budget)
      : budget_(budget),
        details_(budget.Cap()),
        output_(budget.Cap()),
        kernel_log_(budget.Cap()),
        reason_(budget.Cap()) {}

  /// What a child element says of the verdict.
  enum class Child { kFailure, kError, kSkipped, kFlaky, kOutput, kKernelLog };

  /// An attribute of <testcase>.
  void Attribute(std::string_view name, std::string_view value);
  void AddProperty(std::string_view name, std::string_view value);
  void BeginChild(Child child, std::string_view type, std::string_view message);
  /// Also of elements in the child; outside of one it is nothing.
  void Text(std::string_view piece);
  void EndChild();

  /// `suite` where it has no classname.
  Case Take(std::string_view suite);

 private:
  void AddFailure(std::string_view type);
  void TakeHeadProperties(std::string& output);
  Verdict Judge() const;

  TextBudget& budget_;
  Case made_;
  std::string status_;
  std::string result_;
  std::optional<Child> child_;
  std::string child_message_;
  bool child_has_text_ = false;
  bool skipped_ = false;
  bool flaky_ = false;
  std::string skip_type_;
  std::string skip_message_;
  std::string failure_message_;
  std::optional<Verdict> failure_;
  CappedText details_;
  CappedText output_;
  CappedText kernel_log_;
  CappedText reason_;
};

/// The property lines that `kfdreport junit` puts at the head of a test case's system-out, where
/// Jenkins' schema has no place for properties: "[[PROPERTY|name=value]]", as other JUnit tools
/// write them; line breaks and backslashes of the value are escaped by a backslash.
std::string PropertyLine(std::string_view name, std::string_view value);

/// Nothing where `line` is no such line.
std::optional<Property> ParsePropertyLine(std::string_view line);

}  // namespace kfdcts::report
