#include "harness/kfdreport/rule_texts.h"

#include "harness/report/rule_book.h"
#include "harness/vm/base/files.h"

namespace kfdcts::report {

RuleTexts LoadRuleTexts(const std::filesystem::path& folder) {
  const auto place = folder.empty() ? vm::ShareFolder() / "fixtures" / "spec" : folder;
  RuleTexts texts;
  if (folder.empty() && !std::filesystem::exists(place / "rules.yaml")) return texts;
  const auto book = harness::RuleBook::Load(place);
  for (const auto& rule : book.rules()) {
    texts.order.push_back(rule.id);
    texts.rules.emplace(rule.id, rule.text);
  }
  for (const auto& bug : book.bugs()) {
    texts.bugs.emplace(bug.id, bug.cause.empty() ? bug.what : bug.what + " (" + bug.cause + ")");
  }
  return texts;
}

}  // namespace kfdcts::report
