// Breaks a thunk's answers one by one and sees whether the tests that are named for each go red.
// Runs where the tests run: in a guest, or on a host with a GPU.
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <numeric>
#include <string>
#include <system_error>
#include <vector>

#include "harness/run/glob.h"
#include "harness/test/falsify/table.h"
#include "harness/test/falsify/verdict.h"

namespace kfdcts::falsify {
namespace {

namespace fs = std::filesystem;

struct Options {
  fs::path kfdcts;
  fs::path shim;
  fs::path table;
  std::string only = "*";
};

/// A folder for reports that is removed in the end.
class WorkFolder {
 public:
  WorkFolder() {
    std::string path = (fs::temp_directory_path() / "falsify.XXXXXX").string();
    if (mkdtemp(path.data()) == nullptr) {
      throw std::system_error(errno, std::generic_category(), path);
    }
    path_ = path;
  }
  ~WorkFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::string Joined(const std::vector<std::string>& filters) {
  return std::accumulate(
      filters.begin(), filters.end(), std::string(),
      [](const std::string& all, const std::string& one) { return all + one + ":"; });
}

/// Runs kfdcts on the shim with its output in a file; the exit code says nothing here.
void RunTests(const Options& options, const std::string& falsification, const std::string& filter,
              const fs::path& results, const fs::path& output) {
  std::fflush(stdout);  // or the child writes what is pending once more
  const pid_t child = fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (child == 0) {
    setenv("KFDCTS_FALSIFY", falsification.c_str(), 1);
    const std::vector<std::string> words = {
        options.kfdcts.string(), "--target=host", "--thunk=" + options.shim.string(),
        "--gtest_filter=" + filter, "--results=" + results.string()};
    std::vector<char*> argv;
    argv.reserve(words.size() + 1);
    for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    if (std::freopen(output.c_str(), "w", stdout) != nullptr) dup2(STDOUT_FILENO, STDERR_FILENO);
    execv(argv[0], argv.data());
    _exit(127);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "waitpid");
  }
}

/// What the tests did; empty, with kfdcts' output shown, where it left no report.
Outcomes Run(const Options& options, const WorkFolder& work, const std::string& falsification,
             const std::vector<std::string>& filters) {
  const fs::path results = work.path() / "results";
  const fs::path output = work.path() / "output.txt";
  fs::remove_all(results);
  RunTests(options, falsification, Joined(filters), results, output);
  try {
    return ReadJunit(results / "junit.xml");
  } catch (const std::runtime_error& error) {
    std::cerr << error.what() << "\n";
    if (std::FILE* text = std::fopen(output.c_str(), "r"); text != nullptr) {
      for (int byte = std::fgetc(text); byte != EOF; byte = std::fgetc(text))
        std::cerr.put(static_cast<char>(byte));
      std::fclose(text);
    }
    return {};
  }
}

/// Without a falsification every test that the table names must pass, or its red says nothing.
bool BaselineIsGreen(const Options& options, const WorkFolder& work,
                     const std::vector<Falsification>& table) {
  std::vector<std::string> filters;
  for (const Falsification& one : table) {
    filters.insert(filters.end(), one.red.begin(), one.red.end());
  }
  const Outcomes outcomes = Run(options, work, "", filters);
  bool green = !outcomes.empty();
  for (const auto& [name, outcome] : outcomes) {
    if (outcome == Outcome::kPassed) continue;
    green = false;
    std::cout << "not green without a falsification: " << name
              << (outcome == Outcome::kSkipped ? " (skipped)\n" : " (failed)\n");
  }
  std::cout << "without a falsification: " << outcomes.size() << " tests, "
            << (green ? "all green\n" : "not all green\n") << std::flush;
  return green;
}

void Print(const Falsification& one, const Verdict& verdict) {
  std::printf("%-32s %3d  %-7s %s\n", one.name.c_str(), verdict.red,
              verdict.Caught() ? "caught" : "MISSED", one.what.c_str());
  for (const std::string& name : verdict.not_red) std::printf("    not red: %s\n", name.c_str());
  for (const std::string& filter : verdict.match_none) {
    std::printf("    matches no test: %s\n", filter.c_str());
  }
  std::fflush(stdout);
}

int RunAll(const Options& options) {
  std::vector<Falsification> table = ReadTable(options.table);
  std::erase_if(table, [&](const Falsification& one) {
    return !harness::MatchesGlob(options.only, one.name);
  });
  if (table.empty()) throw TableError("no falsification matches " + options.only);
  const WorkFolder work;
  const bool green = BaselineIsGreen(options, work, table);
  std::printf("%-32s %3s  %-7s %s\n", "falsification", "red", "verdict", "what");
  std::size_t caught = 0;
  for (const Falsification& one : table) {
    const Verdict verdict = Judge(one.red, Run(options, work, one.name, one.red));
    caught += verdict.Caught() ? 1U : 0U;
    Print(one, verdict);
  }
  std::printf("caught %zu of %zu (%zu %%)\n", caught, table.size(), 100 * caught / table.size());
  return green && caught == table.size() ? 0 : 1;
}

}  // namespace
}  // namespace kfdcts::falsify

int main(int argc, char** argv) {
  kfdcts::falsify::Options options;
  CLI::App app("Breaks a thunk's answers one by one and sees whether the named tests go red");
  app.add_option("--kfdcts", options.kfdcts, "the tests' program")
      ->required()
      ->check(CLI::ExistingFile);
  app.add_option("--shim", options.shim, "the falsifying shim")
      ->required()
      ->check(CLI::ExistingFile);
  app.add_option("--table", options.table, "falsifications.yaml")
      ->required()
      ->check(CLI::ExistingFile);
  app.add_option("--only", options.only, "those whose name matches this glob");
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    app.exit(error);
    return 2;
  }
  try {
    return kfdcts::falsify::RunAll(options);
  } catch (const kfdcts::falsify::TableError& error) {
    std::cerr << error.what() << "\n";
    return 2;
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
