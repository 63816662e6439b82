#include "harness/cli/explain.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <sstream>
#include <vector>

#include "harness/cli/options.h"
#include "harness/report/guidance.h"

namespace kfdcts::harness {
namespace {

/// Of a machine that has every GPU that a test can name.
constexpr int kGpus = 4;
constexpr std::size_t kMostNear = 5;

using Definitions = std::vector<const TestDefinition*>;

std::string InCapitals(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](char letter) {
    return letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
  });
  return text;
}

/// How many letters must be put in, taken out or changed.
std::size_t Distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), 0U);
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < to.size(); ++j) {
      const std::size_t above = row[j + 1];
      const std::size_t changed = diagonal + (from[i] == to[j] ? 0 : 1);
      row[j + 1] = std::min({above + 1, row[j] + 1, changed});
      diagonal = above;
    }
  }
  return row[to.size()];
}

std::string NearestTo(const std::string& id, const RuleBook& book) {
  std::vector<std::pair<std::size_t, std::string>> near;
  const auto add = [&](const auto& entries) {
    for (const auto& entry : entries) near.emplace_back(Distance(id, entry.id), entry.id);
  };
  add(book.rules());
  add(book.bugs());
  std::stable_sort(near.begin(), near.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string list;
  for (std::size_t i = 0; i < std::min(kMostNear, near.size()); ++i) {
    list += (i == 0 ? "" : ", ") + near[i].second;
  }
  return list;
}

Definitions TestsOf(const TestRegistry& registry, std::string_view TestSpec::*ids,
                    const std::string& id) {
  Definitions tests;
  for (const auto& definition : registry.definitions()) {
    const auto named = SplitIds(definition.spec.*ids);
    if (std::find(named.begin(), named.end(), id) != named.end()) tests.push_back(&definition);
  }
  return tests;
}

/// The ids that the tests name, each once, in the order of the tests.
std::vector<std::string> IdsOf(const Definitions& tests, std::string_view TestSpec::*ids) {
  std::vector<std::string> all;
  for (const auto* test : tests) {
    for (auto& id : SplitIds(test->spec.*ids)) {
      if (std::find(all.begin(), all.end(), id) == all.end()) all.push_back(std::move(id));
    }
  }
  return all;
}

void PrintTests(std::ostream& out, const char* title, const Definitions& tests) {
  out << '\n' << title << '\n';
  if (tests.empty()) out << "  (none)\n";
  for (const auto* test : tests) {
    out << "  " << test->suite << '.' << test->name << "  " << test->file << ':' << test->line
        << "\n      " << test->spec.property << '\n';
  }
}

void PrintBug(std::ostream& out, const KnownBug& bug) {
  const std::string fix = FixOf(bug);
  out << "  " << bug.id << "  " << SymptomOf(bug)
      << "\n      fix: " << (fix.empty() ? "none is known here" : fix)
      << "\n      cause: " << bug.cause << '\n';
}

/// Whether a text names the id, and not one that begins so: BUG-5 is not in "BUG-51".
bool Mentions(const std::string& text, const std::string& id) {
  for (auto at = text.find(id); at != std::string::npos; at = text.find(id, at + 1)) {
    const auto end = at + id.size();
    if (end == text.size() || text[end] < '0' || text[end] > '9') return true;
  }
  return false;
}

std::string Line(const Expectation& entry) {
  std::string line = "      " + std::string(NameOf(entry.kind)) + ": " + entry.pattern;
  if (entry.machine != "*") line += ", machine " + entry.machine;
  if (entry.kernel != "*") line += ", kernel " + entry.kernel;
  if (entry.thunk != "*") line += ", thunk " + entry.thunk;
  return line + "  (" + entry.place + ")\n";
}

void PrintExpectations(std::ostream& out, const std::string& id, const Definitions& tests,
                       const TestRegistry& registry, const Expectations& expectations) {
  const auto instances = registry.Instantiate(kGpus);
  const auto concerns = [&](const Expectation& entry) {
    return Mentions(entry.cause, id) ||
           std::any_of(instances.begin(), instances.end(), [&](const TestInstance& test) {
             const bool one = std::find(tests.begin(), tests.end(), test.definition) != tests.end();
             return one && GlobMatches(entry.pattern, test.FullName());
           });
  };
  std::vector<std::pair<std::string, std::string>> by_cause;
  for (const auto& entry : expectations.entries()) {
    if (!concerns(entry)) continue;
    const auto found = std::find_if(by_cause.begin(), by_cause.end(),
                                    [&](const auto& one) { return one.first == entry.cause; });
    (found == by_cause.end() ? by_cause.emplace_back(entry.cause, "") : *found).second +=
        Line(entry);
  }
  out << "\nExpectations\n";
  if (by_cause.empty()) out << "  (none)\n";
  for (const auto& [cause, lines] : by_cause) out << "  " << cause << '\n' << lines;
}

}  // namespace

std::string Explain(const std::string& given, const RuleBook& book, const TestRegistry& registry,
                    const Expectations& expectations) {
  const std::string id = InCapitals(given);
  const Rule* rule = book.FindRule(id);
  const KnownBug* bug = book.FindBug(id);
  std::ostringstream out;
  Definitions tests;
  if (rule != nullptr) {
    tests = TestsOf(registry, &TestSpec::rules, id);
    out << id << "  (" << rule->suite << ")\n  " << rule->text << "\n\nSources\n";
    for (const auto& source : rule->sources) out << "  " << source << '\n';
    PrintTests(out, "Tests that assert it", tests);
    out << "\nKnown bugs that they guard against\n";
    const auto bugs = IdsOf(tests, &TestSpec::guards);
    if (bugs.empty()) out << "  (none)\n";
    for (const auto& one : bugs) {
      if (const KnownBug* behind = book.FindBug(one)) PrintBug(out, *behind);
    }
  } else if (bug != nullptr) {
    tests = TestsOf(registry, &TestSpec::guards, id);
    PrintBug(out, *bug);
    out << "      trigger: " << bug->trigger << '\n';
    PrintTests(out, "Tests that guard against it", tests);
    out << "\nRules that they assert\n";
    for (const auto& one : IdsOf(tests, &TestSpec::rules)) {
      if (const Rule* asserted = book.FindRule(one))
        out << "  " << one << "  " << asserted->text << '\n';
    }
  } else {
    throw UsageError("explain: " + given +
                     " is no rule and no known bug; near it: " + NearestTo(id, book));
  }
  PrintExpectations(out, id, tests, registry, expectations);
  return out.str();
}

}  // namespace kfdcts::harness
