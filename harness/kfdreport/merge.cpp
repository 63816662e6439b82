#include "harness/kfdreport/merge.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "harness/kfdreport/junit_parser.h"

namespace kfdcts::report {
namespace {

/// Which of a case's runs tells most.
int Severity(Verdict verdict) {
  switch (verdict) {
    case Verdict::kCrash:
      return 8;
    case Verdict::kTimeout:
      return 7;
    case Verdict::kFail:
      return 6;
    case Verdict::kFlake:
      return 5;
    case Verdict::kWarn:
      return 4;
    case Verdict::kUnexpectedPass:
      return 3;
    case Verdict::kExpectedFail:
      return 2;
    case Verdict::kPass:
      return 1;
    case Verdict::kSkip:
      return 0;
  }
  return 0;
}

/// One case in all its runs.
struct Repeats {
  struct Time {
    Verdict verdict;
    std::string where;
  };
  std::vector<Time> times;
  double seconds = 0;  ///< Of those that were not skipped.
  int timed = 0;
};

std::string Where(const Case& one, const std::string& file) {
  const auto iteration = one.PropertyOf("iteration");
  return iteration.empty() ? file : file + ", iteration " + std::string(iteration);
}

Verdict VerdictOf(const Repeats& repeats) {
  std::set<Verdict> verdicts;
  for (const auto& time : repeats.times) {
    if (time.verdict != Verdict::kSkip) verdicts.insert(time.verdict);
  }
  if (verdicts.empty()) return Verdict::kSkip;
  const Verdict worst =
      *std::max_element(verdicts.begin(), verdicts.end(),
                        [](Verdict a, Verdict b) { return Severity(a) < Severity(b); });
  if (verdicts.size() == 1 || std::all_of(verdicts.begin(), verdicts.end(), IsBad)) return worst;
  const bool all_pass = std::all_of(verdicts.begin(), verdicts.end(), [](Verdict verdict) {
    return verdict == Verdict::kPass || verdict == Verdict::kWarn;
  });
  return all_pass ? worst : Verdict::kFlake;
}

std::string Story(const Repeats& repeats) {
  std::string story;
  for (const auto& time : repeats.times) {
    if (!story.empty()) story += ", ";
    story += std::string(NameOf(time.verdict)) + " (" + time.where + ")";
  }
  return story;
}

/// Cases of one configuration, each name once.
class Configuration {
 public:
  explicit Configuration(Run& into) : into_(into) {}

  void Add(Run&& run) {
    for (auto& one : run.cases) AddCase(std::move(one), run.file);
  }

  void Finish() {
    for (auto& [index, repeats] : repeats_) {
      Case& one = into_.cases[index];
      const Verdict verdict = VerdictOf(repeats);
      if (repeats.timed > 0) one.seconds = repeats.seconds / repeats.timed;
      std::erase_if(one.properties, [](const Property& entry) {
        return entry.first == "iteration" || entry.first == "repeats";
      });
      one.properties.emplace_back("repeats", std::to_string(repeats.times.size()));
      if (verdict == Verdict::kFlake && one.verdict != Verdict::kFlake) {
        one.properties.emplace_back("flake", Story(repeats));
        if (one.message.empty()) one.message = Story(repeats);
      }
      one.verdict = verdict;
    }
  }

 private:
  void AddCase(Case&& one, const std::string& file) {
    std::string key = one.suite + '\0' + one.name;
    const auto [known, is_new] = index_.try_emplace(std::move(key), into_.cases.size());
    if (is_new) {
      first_file_.push_back(file);
      into_.cases.push_back(std::move(one));
      return;
    }
    Case& kept = into_.cases[known->second];
    auto [entry, is_first_repeat] = repeats_.try_emplace(known->second);
    Repeats& repeats = entry->second;
    if (is_first_repeat) Count(repeats, kept, first_file_[known->second]);
    Count(repeats, one, file);
    if (Severity(one.verdict) > Severity(kept.verdict)) kept = std::move(one);
  }

  static void Count(Repeats& repeats, const Case& one, const std::string& file) {
    repeats.times.push_back({one.verdict, Where(one, file)});
    if (one.verdict == Verdict::kSkip) return;
    repeats.seconds += one.seconds;
    ++repeats.timed;
  }

  Run& into_;
  std::unordered_map<std::string, std::size_t> index_;  ///< Suite and name, into the run's cases.
  std::vector<std::string> first_file_;                 ///< Of each case.
  std::map<std::size_t, Repeats> repeats_;              ///< Of cases that came again.
};

}  // namespace

std::vector<Run> Merge(std::vector<Run> runs) {
  std::vector<std::string> order;
  std::map<std::string, std::vector<Run>> of_configuration;
  for (auto& run : runs) {
    const std::string key = ConfigurationOf(run);
    if (!of_configuration.contains(key)) order.push_back(key);
    of_configuration[key].push_back(std::move(run));
  }
  std::vector<Run> merged;
  for (const auto& key : order) {
    Run united;
    Configuration configuration(united);
    std::set<std::string> files;
    for (auto& run : of_configuration[key]) {
      if (files.insert(run.file).second) {
        united.file += (united.file.empty() ? "" : ", ") + run.file;
      }
      UniteProperties(united.properties, run.properties);
      configuration.Add(std::move(run));
    }
    configuration.Finish();
    merged.push_back(std::move(united));
  }
  return merged;
}

}  // namespace kfdcts::report
