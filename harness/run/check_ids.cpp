#include "harness/run/check_ids.h"

#include <string>

#include "harness/test_support/labels.h"

namespace kfdcts::harness {

void CheckIds(const TestDefinition& definition, const RuleBook& book, TestRecord& record) {
  const auto unknown = [&](const std::string& id, const char* file) {
    record.failures.push_back(
        {definition.file, definition.line,
         "the test names \"" + id + "\", which fixtures/spec/" + file + " does not have", false});
  };
  for (const auto& id : SplitIds(definition.spec.rules)) {
    if (book.FindRule(id) == nullptr) unknown(id, "rules.yaml");
  }
  for (const auto& id : SplitIds(definition.spec.guards)) {
    if (book.FindBug(id) == nullptr) unknown(id, "known-bugs.yaml");
  }
  for (const auto& name : SplitIds(definition.spec.labels)) {
    if (FindLabel(name) != nullptr) continue;
    record.failures.push_back({definition.file, definition.line,
                               "the test has the label \"" + name + "\", which is none", false});
  }
}

}  // namespace kfdcts::harness
