// kfdvm: boots a kernel with virtual GPUs and runs any program in it.

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "harness/completion/words.h"
#include "harness/vm/base/sizes.h"
#include "harness/vm/cli/commands.h"

namespace kfdcts::vm {
namespace {

constexpr int kBadInput = 2;

/// The options that run and shell share, as they were typed.
struct Typed {
  std::string memory;
  std::string accelerator = "auto";
  std::vector<std::string> environment;
  long timeout = 0;
  long boot_timeout = 240;
  bool user = false;
};

void AddGuestOptions(CLI::App& command, CommandLine& line, Typed& typed) {
  GuestRun& run = line.run;
  command.add_option("--machine", line.machine, "name (see `kfdvm machines`) or YAML file")
      ->capture_default_str();
  command.add_option(
      "--kernel", run.kernel,
      "name (see `kfdvm kernels`), folder of `kfdvm build`, or image (bzImage, vmlinux)");
  command.add_option("--modules", run.modules, "lib/modules/RELEASE of a kernel given as image");
  command.add_option("--append", run.append, "further kernel parameters");
  command.add_option("--memory", typed.memory, "the guest's memory, as 2G");
  command.add_option("--qemu", run.qemu, "emulator to use");
  command.add_option("--accel", typed.accelerator, "auto, tcg (software emulation) or kvm")
      ->capture_default_str()
      ->check(CLI::IsMember({"auto", "tcg", "kvm"}));
  command.add_option("--timeout", typed.timeout, "seconds that the program may run (0: for ever)")
      ->check(CLI::Range(0L, 1000000L));
  command.add_option("--boot-timeout", typed.boot_timeout, "seconds that the boot may take")
      ->capture_default_str()
      ->check(CLI::Range(1L, 1000000L));
  auto* user = command.add_flag("--user", typed.user, "run as an unprivileged user (the default)");
  command.add_flag("--root", run.root, "run as root")->excludes(user);
  command.add_option("--results", run.results, "folder for console.log, kernel.log, reports …")
      ->default_str("kfdvm-results");
  command
      .add_option("--share", run.share,
                  std::string("folder that is ") + kGuestShare + " in the guest")
      ->default_str("RESULTS/share");
  command.add_option("--env", typed.environment, "NAME=VALUE for the program; may be repeated")
      ->take_all()
      ->allow_extra_args(false);
  command.add_option("--gdb", run.gdb_port, "wait for gdb at this port of localhost (1234)")
      ->expected(0, 1)
      ->check(CLI::Range(1, 65535));
  command.add_flag("--quick-driver", run.quick_driver,
                   "drop amdgpu.ko's function-trace sites: boots 20 s faster, taints the kernel");
  command.add_flag("--gpu-trace", run.gpu_trace, "write every register access to gpuN.trace");
  command.positionals_at_end();
}

/// Each becomes an argument of the script that does the work, which checks it.
void AddBuildOptions(CLI::App& command, std::vector<std::string>& arguments) {
  const auto option = [&](const char* names, const char* argument, const char* what) {
    command.add_option_function<std::string>(
        names,
        [&arguments, argument](const std::string& value) {
          arguments.insert(arguments.end(), {argument, value});
        },
        what);
  };
  option("--flavour", "--flavour", "plain (the default) or debug: KASAN, lockdep, kmemleak");
  option("-j,--jobs", "-j", "parallel compile jobs (all processors)");
  option("-o,--output", "-o", "folder for the kernel (in the cache: built/SOURCE-FLAVOUR)");
  command
      .add_option_function<std::string>(
          "source", [&arguments](const std::string& source) { arguments.push_back(source); },
          "kernel tree, or a Debian package with one (linux-source-6.1)")
      ->required();
}

void Take(CommandLine& line, const Typed& typed, const CLI::App& command) {
  GuestRun& run = line.run;
  if (!typed.memory.empty()) {
    const auto bytes = ParseSize(typed.memory);
    constexpr std::uint64_t kLeast = std::uint64_t{512} << 20;
    if (!bytes || *bytes < kLeast || *bytes % (1U << 20) != 0) {
      throw RunError("--memory: \"" + typed.memory + "\" is no size of at least 512M");
    }
    run.memory_bytes = *bytes;
  }
  for (const std::string& variable : typed.environment) {
    const auto equals = variable.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw RunError("--env: \"" + variable + "\" is not NAME=VALUE");
    }
    run.environment.emplace_back(variable.substr(0, equals), variable.substr(equals + 1));
  }
  run.timeout = std::chrono::seconds(typed.timeout);
  run.boot_timeout = std::chrono::seconds(typed.boot_timeout);
  run.accelerator = typed.accelerator == "kvm"   ? Accelerator::kKvm
                    : typed.accelerator == "tcg" ? Accelerator::kTcg
                                                 : Accelerator::kAuto;
  if (command.count("--gdb") > 0 && run.gdb_port == 0) {
    run.gdb_port = 1234;
  }
  if (run.results.empty()) {
    run.results = "kfdvm-results";
  }
}

int Main(int argc, char** argv) {
  CommandLine line;
  Typed typed;
  CLI::App app{"Boots a Linux kernel with virtual AMD GPUs and runs a program in it."};
  app.require_subcommand(1);
  CLI::App* run = app.add_subcommand("run", "run a program in a guest; its exit code is ours");
  AddGuestOptions(*run, line, typed);
  run->add_flag("--stdin", line.pass_stdin, "give our standard input to the program");
  run->add_option("program", line.run.command, "program and its arguments, after --")->required();
  CLI::App* shell = app.add_subcommand("shell", "work in a guest interactively");
  AddGuestOptions(*shell, line, typed);
  shell->add_option("program", line.run.command, "program and its arguments, after --")
      ->default_str("bash");
  CLI::App* fetch = app.add_subcommand("fetch", "get emulator and kernel into the cache");
  fetch->add_option("--kernel", line.kernels, "kernels to get, by name; may be repeated");
  CLI::App* build = app.add_subcommand("build", "make a kernel for guests out of its source");
  AddBuildOptions(*build, line.build);
  CLI::App* machines = app.add_subcommand("machines", "list the machines");
  CLI::App* kernels = app.add_subcommand("kernels", "list the kernels that have a name");
  completion::AddWords(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kBadInput;
  }
  if (*machines) {
    return MachinesCommand();
  }
  if (*kernels) {
    return KernelsCommand();
  }
  if (*build) {
    return BuildCommand(line);
  }
  if (*fetch) {
    return FetchCommand(line);
  }
  Take(line, typed, *run ? *run : *shell);
  line.terminal = shell->parsed();
  if (line.terminal && line.run.command.empty()) {
    line.run.command = {"bash"};
  }
  return RunCommand(line);
}

}  // namespace
}  // namespace kfdcts::vm

int main(int argc, char** argv) {
  signal(SIGPIPE, SIG_IGN);
  try {
    return kfdcts::vm::Main(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "kfdvm: %s\n", error.what());
    return kfdcts::vm::kBadInput;
  }
}
