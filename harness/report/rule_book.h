#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/report/fixture_error.h"

namespace kfdcts::harness {

/// A rule of fixtures/spec/rules.yaml.
struct Rule {
  std::string id;      ///< "PTR-4".
  std::string family;  ///< "PTR".
  std::string suite;   ///< "PointerInfo".
  std::string text;
  std::vector<std::string> sources;
};

/// A defect of fixtures/spec/known-bugs.yaml.
struct KnownBug {
  std::string id;  ///< "BUG-3".
  std::string what;
  std::string cause;
  std::string trigger;
};

/// The rules and known bugs that tests name.
class RuleBook {
 public:
  /// Reads rules.yaml and known-bugs.yaml of `folder`. Throws FixtureError, also for an id that
  /// stands twice.
  static RuleBook Load(const std::filesystem::path& folder);

  const std::vector<Rule>& rules() const { return rules_; }
  const std::vector<KnownBug>& bugs() const { return bugs_; }

  /// Null where there is none.
  const Rule* FindRule(std::string_view id) const;
  const KnownBug* FindBug(std::string_view id) const;

 private:
  std::vector<Rule> rules_;
  std::vector<KnownBug> bugs_;
};

/// The first `width` characters of a rule's text, cut at a word.
std::string Shorten(std::string_view text, std::size_t width);

}  // namespace kfdcts::harness
