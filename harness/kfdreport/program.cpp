#include "harness/kfdreport/program.h"

#include <CLI/CLI.hpp>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/kfdreport/html.h"
#include "harness/kfdreport/inputs.h"
#include "harness/kfdreport/output.h"
#include "harness/kfdreport/rule_texts.h"
#include "harness/kfdreport/text_report.h"

namespace kfdcts::report {
namespace {

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
};

CLI::App& AddReport(CLI::App& app, const char* name, const char* what, Request& request) {
  CLI::App& command = *app.add_subcommand(name, what);
  command.add_option("FILES", request.files, "JUnit files or folders of them")->required();
  command.add_option("-o,--output", request.output, "Write to this file, not to standard output");
  return command;
}

void AddRules(CLI::App& command, Request& request) {
  command.add_option("--rules", request.rules,
                     "Folder with rules.yaml and known-bugs.yaml, in place of the installed one");
}

int Text(const Request& request) {
  TextBudget budget;
  const auto runs = LoadRuns(request.files, budget);
  Output output(request.output);
  WriteText(output.stream(), runs, request.slowest);
  output.Finish();
  return 0;
}

#ifndef KFDREPORT_WITHOUT_HTML
int Html(const Request& request) {
  TextBudget budget;
  const auto runs = LoadRuns(request.files, budget);
  auto texts = LoadRuleTexts(request.rules);
  HtmlOptions options;
  options.rule_texts = std::move(texts.rules);
  options.bug_texts = std::move(texts.bugs);
  if (!request.title.empty()) options.title = request.title;
  Output output(request.output);
  WriteHtml(output.stream(), runs, options);
  output.Finish();
  return 0;
}
#else
int Html(const Request& /*request*/) { throw std::runtime_error("built without html"); }
#endif

int Dispatch(int argc, char** argv) {
  Request request;
  CLI::App app(kDescription, "kfdreport");
  app.require_subcommand(1);
  auto& text = AddReport(app, "text", "A summary for people", request);
  text.add_option("--slowest", request.slowest, "How many of the slowest tests to list")
      ->capture_default_str();
  auto& html = AddReport(app, "html", "One self-contained page", request);
  AddRules(html, request);
  html.add_option("--title", request.title, "The page's title");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kBadInput;
  }
  if (text.parsed()) return Text(request);
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
