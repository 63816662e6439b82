// kfdcheck_vm: boots a machine, runs kfdcheck in it, and judges beside its result the kernel's log
// and the virtual GPUs' reports. For ctest.
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "harness/check/kernel_log_verdict.h"
#include "harness/gpu/unique_fd.h"
#include "harness/vm/guest_run.h"

namespace kfdcts::check {
namespace {

namespace fs = std::filesystem;

constexpr int kUsageError = 2;
constexpr const char* kLogName = "check.jsonl";

struct Arguments {
  std::string machine = "vega10", kernel, allowed;
  fs::path results = "kfdcheck-results";
  long timeout = 600;
  std::vector<std::string> check_arguments;
};

/// SIGINT and SIGTERM as a descriptor, so that the guest is taken down in order.
gpu::UniqueFd BlockStopSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  signal(SIGPIPE, SIG_IGN);
  return gpu::UniqueFd(signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
}

vm::GuestResult RunGuest(const Arguments& arguments, int cancel_fd) {
  vm::GuestRun run;
  run.machine = vm::FindMachine(arguments.machine);
  run.kernel = arguments.kernel;
  run.results = arguments.results;
  run.timeout = std::chrono::seconds(arguments.timeout);
  run.cancel_fd = cancel_fd;
  run.command = {fs::read_symlink("/proc/self/exe").parent_path() / "kfdcheck",
                 std::string("--check-log=") + vm::kGuestShare + "/" + kLogName};
  run.command.insert(run.command.end(), arguments.check_arguments.begin(),
                     arguments.check_arguments.end());
  run.on_stdout = [](std::string_view bytes) { std::cout << bytes << std::flush; };
  run.on_stderr = [](std::string_view bytes) { std::cerr << bytes << std::flush; };
  run.on_notice = [](const std::string& text) { std::cerr << "kfdcheck_vm: " << text << "\n"; };
  return vm::Run(run);
}

std::ifstream Open(const fs::path& file) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error(file.string() + ": cannot be read");
  return in;
}

std::vector<LogLine> ReadLog(const fs::path& file) {
  std::ifstream in = Open(file);
  std::vector<LogLine> lines;
  LogLine line;
  for (std::string raw; std::getline(in, raw);) {
    if (ParseLogLine(raw, line)) lines.push_back(line);
  }
  if (lines.empty()) throw std::runtime_error(file.string() + ": holds no line of a kernel");
  return lines;
}

/// How many complaints there are; each is printed.
int Judge(const vm::GuestResult& result, const std::string& allowed_file) {
  std::vector<std::string> allowed;
  if (!allowed_file.empty()) {
    std::ifstream in = Open(allowed_file);
    allowed = ReadAllowed(in);
  }
  std::ifstream log = Open(result.share_dir / kLogName);
  const std::vector<CheckWindow> checks = ReadCheckLog(log);
  if (checks.empty()) throw std::runtime_error("no check ran");
  int complaints = 0;
  for (const UnexpectedLine& unexpected : JudgeLog(ReadLog(result.kernel_log), checks, allowed)) {
    std::cout << "kernel log, during " << (unexpected.test.empty() ? "no check" : unexpected.test)
              << ": " << unexpected.line.text << "\n";
    ++complaints;
  }
  if (result.gpu_reports.empty()) throw std::runtime_error("no virtual GPU left a report");
  for (const fs::path& file : result.gpu_reports) {
    std::ifstream report = Open(file);
    for (const std::string& line : BadReportLines(report)) {
      std::cout << file.filename().string() << ": " << line << "\n";
      ++complaints;
    }
  }
  return complaints;
}

int Main(const Arguments& arguments) {
  const gpu::UniqueFd stop = BlockStopSignals();
  const vm::GuestResult result = RunGuest(arguments, stop.get());
  if (result.end != vm::GuestResult::End::kExited) {
    std::cerr << "kfdcheck_vm: " << result.reason << "\n";
    for (const std::string& line : result.console_tail) std::cerr << "  | " << line << "\n";
    return result.ProcessExitCode();
  }
  const int complaints = Judge(result, arguments.allowed);
  std::cout << "kfdcheck_vm: " << arguments.machine << " on Linux " << result.kernel_release
            << ": kfdcheck ended with " << result.exit_code << "; " << complaints
            << " complaints; boot " << result.boot_time.count() << " ms, checks "
            << result.program_time.count() << " ms\n";
  return result.exit_code != 0 ? result.exit_code : (complaints == 0 ? 0 : 1);
}

}  // namespace
}  // namespace kfdcts::check

int main(int argc, char** argv) {
  kfdcts::check::Arguments arguments;
  CLI::App app("Runs kfdcheck in a guest and judges kernel log and GPU reports too.",
               "kfdcheck_vm");
  app.add_option("--machine", arguments.machine, "name or YAML file")->capture_default_str();
  app.add_option("--kernel", arguments.kernel, "name or image; empty: the default kernel");
  app.add_option("--results", arguments.results, "folder for logs and reports")
      ->capture_default_str();
  app.add_option("--allowed", arguments.allowed,
                 "file of lines that the kernel may log at any time");
  app.add_option("--timeout", arguments.timeout, "seconds that the checks may take")
      ->capture_default_str();
  app.add_option("arguments", arguments.check_arguments, "arguments of kfdcheck, behind --");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kfdcts::check::kUsageError;
  }
  try {
    return kfdcts::check::Main(arguments);
  } catch (const std::exception& error) {
    std::cerr << "kfdcheck_vm: " << error.what() << "\n";
    return kfdcts::check::kUsageError;
  }
}
