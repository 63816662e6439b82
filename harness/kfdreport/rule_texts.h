#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace kfdcts::report {

/// What fixtures/spec says of rules and bugs.
struct RuleTexts {
  std::vector<std::string> order;  ///< The rules' ids as the file has them.
  std::map<std::string, std::string> rules;
  std::map<std::string, std::string> bugs;
};

/// Of `folder`; of the installed one where `folder` is empty, and nothing where that is not there
/// either. Throws harness::FixtureError for a folder that cannot be read.
RuleTexts LoadRuleTexts(const std::filesystem::path& folder);

}  // namespace kfdcts::report
