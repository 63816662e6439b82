// bench_thunk: two thunks over one fake kernel, each in a process of its own.
#include <sys/wait.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstring>
#include <iostream>
#include <optional>
#include <sstream>

#include "thunk/bench/child.h"
#include "thunk/bench/table.h"

namespace kfdcts::bench {
namespace {

constexpr int kFailed = 1;
constexpr int kBadArguments = 2;

/// nullopt where the process that measured failed; it has said why.
std::optional<Results> MeasureInChild(Measurement measurement) {
  std::optional<TemporaryFolder> folder(std::in_place);
  measurement.folder = folder->path();
  std::cout << "\n" << measurement.library << "\n" << std::flush;
  const auto work = [&] {
    std::ostringstream lines;
    for (const auto& [name, result] : Measure(measurement))
      lines << name << ' ' << result.cpu_ns << ' ' << result.real_rate << '\n';
    return lines.str();
  };
  const ChildEnd end = RunInChild(work, [&] { folder.reset(); });
  if (WIFSIGNALED(end.status))
    std::cerr << "bench_thunk: " << measurement.library << ": " << strsignal(WTERMSIG(end.status))
              << '\n';
  if (end.status != 0) return std::nullopt;
  Results results;
  std::istringstream lines(end.output);
  std::string name;
  for (Result result; lines >> name >> result.cpu_ns >> result.real_rate;) results[name] = result;
  return results;
}

void KeepBest(const Results& more, Results& best) {
  for (const auto& [name, result] : more) {
    const auto [known, is_new] = best.emplace(name, result);
    if (is_new) continue;
    known->second.cpu_ns = std::min(known->second.cpu_ns, result.cpu_ns);
    known->second.real_rate = std::max(known->second.real_rate, result.real_rate);
  }
}

/// In turns, so that what else the machine does meets both.
int Run(const std::string& theirs, const std::string& ours, int rounds, Measurement measurement) {
  Results their_best;
  Results our_best;
  bool complete = true;
  for (int round = 0; round < rounds && complete; ++round) {
    for (const bool is_ours : {false, true}) {
      measurement.library = is_ours ? ours : theirs;
      const auto results = MeasureInChild(measurement);
      if (results) KeepBest(*results, is_ours ? our_best : their_best);
      complete = complete && results;
    }
  }
  std::cout << '\n';
  PrintTable(std::cout, measurement.sizes, their_best, our_best);
  return complete ? 0 : kFailed;
}

}  // namespace
}  // namespace kfdcts::bench

int main(int argc, char** argv) {
  using namespace kfdcts::bench;
  CLI::App app("Pointer look-up and allocation of two thunks over one fake kernel, as ratios");
  std::string theirs = BENCH_THEIRS;
  std::string ours = BENCH_OURS;
  Measurement measurement{.library = {}, .folder = {}, .sizes = {100, 10000, 100000}};
  app.add_option("--theirs", theirs, "The library to compare with")
      ->check(CLI::ExistingFile)
      ->capture_default_str();
  app.add_option("--ours", ours, "The library to measure")
      ->check(CLI::ExistingFile)
      ->capture_default_str();
  app.add_option("--sizes", measurement.sizes, "Numbers of objects")
      ->delimiter(',')
      ->check(CLI::Range(1, 1000000));
  app.add_option("--seconds", measurement.seconds, "Least time of a benchmark")
      ->check(CLI::Range(0.001, 60.0));
  app.add_option("--repetitions", measurement.repetitions, "Repetitions of one; the best counts")
      ->check(CLI::Range(1, 100));
  int rounds = 3;
  app.add_option("--rounds", rounds, "Turns of each library; the best counts")
      ->check(CLI::Range(1, 100));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kBadArguments;
  }
  try {
    return Run(theirs, ours, rounds, measurement);
  } catch (const std::exception& error) {
    std::cerr << "bench_thunk: " << error.what() << '\n';
    return kFailed;
  }
}
