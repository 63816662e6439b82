#include "harness/cli/guarded_run.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include "harness/vm/base/files.h"

namespace kfdcts::harness {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kResume = "--resume";
constexpr std::string_view kResults = "--results";
constexpr std::string_view kGtestVariables = "GTEST_";

/// Removes a flag in both its forms, "--flag=value" and "--flag value"; its last value.
std::optional<std::string> TakeFlag(std::vector<std::string>& arguments, std::string_view flag) {
  std::optional<std::string> value;
  std::vector<std::string> rest;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& one = arguments[i];
    if (one == flag) {
      value = i + 1 < arguments.size() ? arguments[++i] : "";
    } else if (one.starts_with(std::string(flag) + "=")) {
      value = one.substr(flag.size() + 1);
    } else {
      rest.push_back(one);
    }
  }
  arguments = std::move(rest);
  return value;
}

std::map<std::string, std::string> GtestVariables() {
  std::map<std::string, std::string> variables;
  for (char** one = environ; *one != nullptr; ++one) {
    const std::string_view entry = *one;
    const auto equals = entry.find('=');
    if (!entry.starts_with(kGtestVariables) || equals == std::string_view::npos) continue;
    variables[std::string(entry.substr(0, equals))] = entry.substr(equals + 1);
  }
  return variables;
}

Journal::Head HeadOf(std::vector<std::string> arguments, const std::vector<std::string>& tests,
                     const Runner::Options& run) {
  TakeFlag(arguments, kResults);
  Journal::Head head;
  head.arguments = std::move(arguments);
  head.working_directory = fs::current_path().string();
  head.environment = GtestVariables();
  head.seed = run.info.seed;
  head.tests = TestListId(tests) + ", " + run.info.thunk_identity;
  // What takes a guest down leaves this machine and its page cache.
  head.synced = run.info.target == "host";
  return head;
}

std::shared_ptr<Watchdog> Arm(const fs::path& device) {
  try {
    return std::make_shared<Watchdog>(device);
  } catch (const std::system_error& error) {
    throw UsageError(std::string("--watchdog: ") + error.what());
  }
}

std::shared_ptr<Journal> MakeJournal(const Options& options,
                                     const std::vector<std::string>& arguments,
                                     const std::vector<std::string>& tests,
                                     const Runner::Options& run) {
  const Journal::Head head = HeadOf(arguments, tests, run);
  if (options.limits.resume.empty()) {
    return std::make_shared<Journal>(options.results, head, BootId());
  }
  auto journal = std::make_shared<Journal>(options.results, BootId());
  if (journal->head().tests != head.tests) {
    throw JournalError("--resume: " + options.results.string() + ": the journal is of another " +
                       "kfdcts or thunk: it has \"" + journal->head().tests + "\", this one \"" +
                       head.tests + "\"");
  }
  return journal;
}

}  // namespace

std::optional<std::vector<std::string>> ResumedArguments(
    const std::vector<std::string>& arguments) {
  std::vector<std::string> others = arguments;
  const auto folder = TakeFlag(others, kResume);
  if (!folder) return std::nullopt;
  if (folder->empty()) throw UsageError("--resume: the results folder of a run is missing");
  if (!others.empty()) {
    throw UsageError("--resume takes the flags of the run that it goes on with; " + others.front() +
                     " cannot be added");
  }
  const fs::path results = fs::absolute(*folder);
  const Journal::Head head = Journal::ReadHead(results);
  for (const auto& [name, value] : GtestVariables()) unsetenv(name.c_str());
  for (const auto& [name, value] : head.environment) setenv(name.c_str(), value.c_str(), 1);
  if (chdir(head.working_directory.c_str()) != 0) {
    throw JournalError("--resume: the run's folder " + head.working_directory + ": " +
                       std::system_category().message(errno));
  }
  std::vector<std::string> resumed = head.arguments;
  resumed.push_back(std::string(kResults) + "=" + results.string());
  resumed.push_back(std::string(kResume) + "=" + results.string());
  return resumed;
}

std::optional<std::uint32_t> ResumedSeed(const Options& options) {
  if (options.limits.resume.empty()) return std::nullopt;
  return Journal::ReadHead(options.limits.resume).seed;
}

void GuardRun(const Options& options, const std::vector<std::string>& arguments,
              const std::vector<std::string>& tests, Runner::Options& run) {
  const LimitOptions& limits = options.limits;
  const fs::path filter = limits.kernel_log_filter.empty()
                              ? vm::ShareFolder() / "fixtures" / "kernel-log" / "filters.yaml"
                              : limits.kernel_log_filter;
  run.kernel_log_filter = std::make_shared<KernelLogFilter>(KernelLogFilter::Load(filter));
  run.abort_on = AbortKinds(limits, run.kernel_log_filter->Kinds());
  run.plan.isolate = limits.isolate;
  run.plan.silence = limits.silence;
  run.journal = MakeJournal(options, arguments, tests, run);
  run.resumed = !limits.resume.empty();
  if (!limits.watchdog.empty()) run.watchdog = Arm(limits.watchdog);
  run.run_end->limit = limits.run_timeout;
  run.run_end->Start();
}

}  // namespace kfdcts::harness
