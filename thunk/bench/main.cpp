// bench_thunk: two thunks over one fake kernel, each in a process of its own.
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <optional>
#include <sstream>

#include "thunk/bench/table.h"

namespace kfdcts::bench {
namespace {

constexpr int kFailed = 1;
constexpr int kBadArguments = 2;

void WriteAll(int fd, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t written = write(fd, text.data() + at, text.size() - at);
    if (written < 0 && errno != EINTR) return;
    if (written > 0) at += static_cast<std::size_t>(written);
  }
}

std::string ReadAll(int fd) {
  std::string text;
  char block[4096];
  for (;;) {
    const ssize_t got = read(fd, block, sizeof block);
    if (got > 0) text.append(block, static_cast<std::size_t>(got));
    if (got == 0 || (got < 0 && errno != EINTR)) return text;
  }
}

/// The child's part: measures and sends the results.
[[noreturn]] void Work(const Measurement& measurement, int out) {
  int code = 0;
  try {
    std::ostringstream lines;
    for (const auto& [name, result] : Measure(measurement))
      lines << name << ' ' << result.cpu_ns << ' ' << result.real_rate << '\n';
    WriteAll(out, lines.str());
  } catch (const std::exception& error) {
    std::cerr << "bench_thunk: " << error.what() << '\n';
    code = kFailed;
  }
  std::cout.flush();
  _exit(code);  // no destructors of the parent's
}

/// nullopt where the process that measured failed; it has said why.
std::optional<Results> MeasureInChild(const Measurement& measurement) {
  int ends[2];
  if (pipe(ends) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  std::cout << "\n" << measurement.library << "\n" << std::flush;
  const pid_t child = fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (child == 0) {
    close(ends[0]);
    Work(measurement, ends[1]);
  }
  close(ends[1]);
  std::istringstream lines(ReadAll(ends[0]));
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status))
    std::cerr << "bench_thunk: " << measurement.library << ": " << strsignal(WTERMSIG(status))
              << '\n';
  if (status != 0) return std::nullopt;
  Results results;
  std::string name;
  for (Result result; lines >> name >> result.cpu_ns >> result.real_rate;) results[name] = result;
  return results;
}

int Run(const std::string& theirs, const std::string& ours, Measurement measurement) {
  measurement.library = theirs;
  const auto their_results = MeasureInChild(measurement);
  measurement.library = ours;
  const auto our_results = MeasureInChild(measurement);
  std::cout << '\n';
  PrintTable(std::cout, measurement.sizes, their_results.value_or(Results{}),
             our_results.value_or(Results{}));
  return their_results && our_results ? 0 : kFailed;
}

}  // namespace
}  // namespace kfdcts::bench

int main(int argc, char** argv) {
  using namespace kfdcts::bench;
  CLI::App app("Pointer look-up and allocation of two thunks over one fake kernel, as ratios");
  std::string theirs = BENCH_THEIRS;
  std::string ours = BENCH_OURS;
  Measurement measurement{.library = {}, .sizes = {100, 10000, 100000}};
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
  app.add_option("--repetitions", measurement.repetitions, "Repetitions, the best counts")
      ->check(CLI::Range(1, 100));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kBadArguments;
  }
  try {
    return Run(theirs, ours, measurement);
  } catch (const std::exception& error) {
    std::cerr << "bench_thunk: " << error.what() << '\n';
    return kFailed;
  }
}
