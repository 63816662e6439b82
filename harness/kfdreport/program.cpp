#include "harness/kfdreport/program.h"

#include <CLI/CLI.hpp>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "harness/completion/words.h"
#include "harness/kfdreport/compare.h"
#include "harness/kfdreport/html.h"
#include "harness/kfdreport/inputs.h"
#include "harness/kfdreport/junit_reader.h"
#include "harness/kfdreport/junit_report.h"
#include "harness/kfdreport/ktap_report.h"
#include "harness/kfdreport/output.h"
#include "harness/kfdreport/rule_texts.h"
#include "harness/kfdreport/statement.h"
#include "harness/kfdreport/text_report.h"

namespace kfdcts::report {
namespace {

constexpr int kRegression = 1;
constexpr int kBadInput = 2;

constexpr const char* kDescription =
    "Reports of JUnit files: of kfdcts, GoogleTest and others; a folder stands for its *.xml.\n"
    "Shards and repeats of one machine, kernel and thunk are merged; others are kept apart.\n"
    "Exit code: 0; 1 where `compare` found a regression; 2 for bad arguments or files.";

/// What the command line asks for.
struct Request {
  std::vector<std::string> files;
  std::string output;
  std::string rules;
  std::size_t slowest = 10;
  std::string title;
  bool json = false;
  std::string base;
  std::string patch;
  CompareOptions compare;
};

void AddOutput(CLI::App& command, Request& request) {
  command.add_option("-o,--output", request.output, "Write to this file, not to standard output")
      ->option_text("FILE");
}

CLI::App& AddReport(CLI::App& app, const char* name, const char* what, Request& request) {
  CLI::App& command = *app.add_subcommand(name, what);
  command.add_option("FILES", request.files, "JUnit files or folders of them")->required();
  AddOutput(command, request);
  return command;
}

void AddRules(CLI::App& command, Request& request) {
  command.add_option("--rules", request.rules,
                     "Folder with rules.yaml and known-bugs.yaml, in place of the installed one");
}

/// Reads, and writes what `write` makes of it.
template <typename Write>
int Report(const Request& request, Write write) {
  TextBudget budget;
  const auto runs = LoadRuns(request.files, budget);
  Output output(request.output);
  write(output.stream(), runs);
  output.Finish();
  return 0;
}

int Text(const Request& request) {
  return Report(
      request, [&](std::ostream& out, const auto& runs) { WriteText(out, runs, request.slowest); });
}

int StatementByRule(const Request& request) {
  const RuleTexts texts = LoadRuleTexts(request.rules);
  return Report(request, [&](std::ostream& out, const auto& runs) {
    const auto statement = MakeStatement(runs, texts);
    if (request.json) {
      WriteStatementJson(out, runs, statement, texts);
    } else {
      WriteStatement(out, runs, statement, texts);
    }
  });
}

std::vector<Run> LoadSide(const std::string& list, TextBudget& budget) {
  auto runs = LoadRuns(SplitList(list), budget);
  // Nothing to compare with is no success.
  std::erase_if(runs, [](const Run& run) { return run.cases.empty(); });
  if (runs.empty()) throw ReadError(list + ": holds no test case");
  return runs;
}

int CompareRuns(const Request& request) {
  TextBudget budget;
  const auto base = LoadSide(request.base, budget);
  const auto patch = LoadSide(request.patch, budget);
  const auto pairs = Compare(base, patch, request.compare);
  Output output(request.output);
  WriteComparison(output.stream(), pairs, request.compare);
  output.Finish();
  return IsRegression(pairs, request.compare) ? kRegression : 0;
}

int Html(const Request& request) {
  auto texts = LoadRuleTexts(request.rules);
  HtmlOptions options;
  options.rule_texts = std::move(texts.rules);
  options.bug_texts = std::move(texts.bugs);
  if (!request.title.empty()) options.title = request.title;
  return Report(request,
                [&](std::ostream& out, const auto& runs) { WriteHtml(out, runs, options); });
}

CLI::App& AddCompare(CLI::App& app, Request& request) {
  CLI::App& command = *app.add_subcommand(
      "compare",
      "What differs between two runs. A regression (exit 1) is a new failure, crash or time-out, "
      "one of them become worse, and a new complaint of the kernel");
  command.add_option("BASE", request.base, "A file, a folder, or several joined by commas")
      ->required();
  command.add_option("PATCH", request.patch, "What is compared with it")->required();
  command.add_flag("--strict", request.compare.strict,
                   "Newly skipped tests and those no longer there are regressions, too");
  command
      .add_option("--slower-factor", request.compare.slower_factor,
                  "Slower is what takes more than so many times as long …")
      ->check(CLI::Range(1.0, 1e6))
      ->capture_default_str();
  command
      .add_option("--slower-seconds", request.compare.slower_seconds,
                  "… and more than so many seconds longer")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str();
  AddOutput(command, request);
  return command;
}

int Dispatch(int argc, char** argv) {
  Request request;
  CLI::App app(kDescription, "kfdreport");
  app.require_subcommand(1);
  auto& junit = AddReport(app, "junit", "Merged into one file that Jenkins' schema takes", request);
  auto& ktap = AddReport(app, "ktap", "KTAP version 1, as kernel CI reads it", request);
  auto& text = AddReport(app, "text", "A summary for people", request);
  text.add_option("--slowest", request.slowest, "How many of the slowest tests to list")
      ->capture_default_str();
  auto& html = AddReport(app, "html", "One self-contained page", request);
  AddRules(html, request);
  html.add_option("--title", request.title, "The page's title");
  auto& compare = AddCompare(app, request);
  auto& statement = AddReport(app, "statement",
                              "Rule by rule: held, broken, as expected, not run and why", request);
  AddRules(statement, request);
  statement.add_flag("--json", request.json, "As JSON");
  completion::AddWords(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kBadInput;
  }
  if (junit.parsed()) return Report(request, WriteJUnit);
  if (ktap.parsed()) return Report(request, WriteKtap);
  if (text.parsed()) return Text(request);
  if (compare.parsed()) return CompareRuns(request);
  if (statement.parsed()) return StatementByRule(request);
  return Html(request);
}

}  // namespace

int Main(int argc, char** argv) {
  try {
    return Dispatch(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "kfdreport: " << error.what() << "\n";
    return kBadInput;
  }
}

}  // namespace kfdcts::report
