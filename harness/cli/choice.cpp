#include "harness/cli/choice.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <string>
#include <system_error>
#include <vector>

#include "harness/run/previous_run.h"
#include "harness/run/progress.h"
#include "harness/test_support/labels.h"

namespace kfdcts::harness {
namespace {

constexpr int kMostRuns = 1000000;

std::string LabelList() {
  std::string list;
  for (const Label& label : kLabels) {
    list += "\n  " + std::string(label.name) + ": " + std::string(label.meaning);
  }
  return list;
}

/// What the flag has after its '=', which may be missing: 0 then.
int RunsOf(const std::string& given) {
  int number = 0;
  const char* const end = given.data() + given.size();
  const auto [stop, error] = std::from_chars(given.data(), end, number);
  if (given.empty()) return 0;
  if (error != std::errc() || stop != end || number < 1 || number > kMostRuns) {
    throw UsageError("--repeat-until-fail: " + given + " is no number from 1 to " +
                     std::to_string(kMostRuns));
  }
  return number;
}

void CheckLabels(const std::string& flag, const std::vector<std::string>& names) {
  for (const auto& name : names) {
    if (FindLabel(name) != nullptr) continue;
    std::string known;
    for (const Label& label : kLabels) {
      known += (known.empty() ? "" : ", ") + std::string(label.name);
    }
    throw UsageError(flag + ": " + name + " is no label; they are " + known);
  }
}

}  // namespace

void AddChoiceFlags(CLI::App& app, ChoiceOptions& choice) {
  app.add_option(
         "--cases", choice.cases,
         "Of each test at most so many of its cases and GPUs, evenly spread over those that "
         "--gtest_filter\nchooses; the others are not listed either")
      ->check(CLI::Range(1, kMostRuns));
  app.add_option("--label", choice.labels,
                 "Only tests with this label; may be repeated. Labels:" + LabelList())
      ->allow_extra_args(false);
  app.add_option("--exclude-label", choice.exclude_labels,
                 "No tests with this label; may be repeated")
      ->allow_extra_args(false);
  app.add_flag("--safe", choice.safe,
               "Leave out what fills a GPU's memory, hangs or resets a GPU, by label, and what is "
               "listed as\ncrashing or hanging this kernel");
  app.add_flag("--shuffle", choice.shuffle,
               "Run the tests in another order each time; --gtest_random_seed repeats one");
  app.add_option("--rerun", choice.reruns,
                 "Further runs of a test whose result no expectation foresaw, to tell flakes; 0: "
                 "none; default 2,\nwith --repeat-until-fail 0")
      ->check(CLI::Range(0, 1000));
  app.add_flag("--fail-on-flake", choice.fail_on_flake,
               "A test whose runs differ fails the run unless the expectations list it as a flake");
  app.add_option_function<std::string>(
         "--repeat-until-fail",
         [&choice](const std::string& given) { choice.repeat_until_fail = RunsOf(given); },
         "Run all tests again and again, at most N times, until one fails unexpectedly")
      ->expected(0, 1)
      ->option_text("N");
  app.add_option_function<std::string>(
         "--rerun-failed", [&choice](const std::string& given) { choice.rerun_failed = given; },
         "Only the tests that failed, or were to run and did not, by the junit.xml of the results "
         "folder\nor of DIR")
      ->expected(0, 1)
      ->option_text("DIR");
}

void CheckChoice(const ChoiceOptions& choice) {
  CheckLabels("--label", choice.labels);
  CheckLabels("--exclude-label", choice.exclude_labels);
  if (choice.repeat_until_fail && GTEST_FLAG_GET(repeat) != 1) {
    throw UsageError("--repeat-until-fail and --gtest_repeat exclude one another");
  }
}

void ApplyToGtest(const ChoiceOptions& choice, std::uint32_t seed) {
  if (choice.shuffle) GTEST_FLAG_SET(shuffle, true);
  GTEST_FLAG_SET(random_seed, static_cast<int>(seed));
  if (choice.repeat_until_fail) GTEST_FLAG_SET(fail_fast, true);
  if (ColoursRefused() && GTEST_FLAG_GET(color) == "auto") GTEST_FLAG_SET(color, "no");
}

Selection SelectionOf(const ChoiceOptions& choice, const std::filesystem::path& results) {
  Selection selection;
  selection.filter = GTEST_FLAG_GET(filter);
  selection.cases = choice.cases;
  selection.labels = choice.labels;
  selection.exclude_labels = choice.exclude_labels;
  for (const Label& label : kLabels) {
    if (choice.safe && label.unsafe) selection.exclude_labels.emplace_back(label.name);
  }
  if (choice.rerun_failed) {
    selection.names = FailedTests(choice.rerun_failed->empty() ? results : *choice.rerun_failed);
  }
  return selection;
}

}  // namespace kfdcts::harness
