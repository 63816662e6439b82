#include "harness/vm/cli/commands.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <iostream>
#include <optional>
#include <system_error>

#include "harness/vm/base/files.h"
#include "harness/vm/base/sizes.h"
#include "harness/vm/cli/signals.h"
#include "harness/vm/cli/terminal.h"
#include "harness/vm/fetch/fetch.h"

namespace fs = std::filesystem;

namespace kfdcts::vm {
namespace {

void Tell(const std::string& text) { std::fprintf(stderr, "kfdvm: %s\n", text.c_str()); }

/// Our reader may have gone away; the program in the guest is to end all the same.
std::function<void(std::string_view)> WriterTo(int fd) {
  return [fd, broken = false](std::string_view bytes) mutable {
    try {
      if (!broken) {
        WriteAll(fd, bytes, "output");
      }
    } catch (const std::system_error&) {
      broken = true;
    }
  };
}

/// Why there is no exit code of the program, for the user.
void Explain(const GuestResult& result) {
  using End = GuestResult::End;
  if (result.end == End::kExited || result.end == End::kSignalled) {
    return;
  }
  Tell(result.reason);
  if (result.end != End::kCancelled && !result.console_tail.empty()) {
    std::fprintf(stderr, "kfdvm: the console's last lines (all of them in %s):\n",
                 result.console_log.c_str());
    for (const std::string& line : result.console_tail) {
      std::fprintf(stderr, "  | %s\n", line.c_str());
    }
  }
}

std::string DescribeGpus(const Machine& machine) {
  if (machine.gpus.empty()) {
    return "no GPU";
  }
  const GpuSpec& gpu = machine.gpus.front();
  return std::to_string(machine.gpus.size()) + " x " + gpu.chip;
}

}  // namespace

int RunCommand(CommandLine& line) {
  StopSignals signals;
  GuestRun& run = line.run;
  run.machine = FindMachine(line.machine);
  run.cancel_fd = signals.fd();
  run.on_notice = Tell;
  run.on_stdout = WriterTo(STDOUT_FILENO);
  run.on_stderr = WriterTo(STDERR_FILENO);
  if (line.pass_stdin || line.terminal) {
    run.stdin_fd = STDIN_FILENO;
  }
  run.terminal = line.terminal;
  GuestResult result;
  {
    std::optional<RawTerminal> raw;
    if (line.terminal) {
      raw.emplace(STDIN_FILENO);
    }
    result = Run(run);
  }
  Explain(result);
  if (result.end == GuestResult::End::kCancelled) {
    const int signal = signals.Caught();
    return signal != 0 ? 128 + signal : result.ProcessExitCode();
  }
  return result.ProcessExitCode();
}

int FetchCommand(const CommandLine& line) {
  StopSignals signals;
  Fetcher fetcher(CacheFolder(), Tell, signals.fd());
  std::vector<const KernelSeries*> wanted;
  for (const std::string& name : line.kernels) {
    wanted.push_back(FindKernelSeries(name));
    if (wanted.back() == nullptr) {
      throw RunError("unknown kernel \"" + name + "\"; `kfdvm kernels` lists them");
    }
  }
  if (wanted.empty()) {
    wanted.push_back(&KnownKernelSeries().front());
  }
  try {
    if (const auto system = SystemQemu()) {
      Tell("the system's QEMU " + system->version + " does");
    } else {
      Tell("QEMU " + fetcher.QemuFromCache().version + " is in the cache");
    }
    for (const KernelSeries* series : wanted) {
      const Kernel kernel = fetcher.KernelFromCache(*series);
      Tell(std::string("kernel ") + series->name + ": " + kernel.release + " is in the cache");
    }
  } catch (const Cancelled&) {
    Tell("interrupted");
    return 128 + signals.Caught();
  }
  return 0;
}

int MachinesCommand() {
  for (const std::string& name : MachineNames()) {
    const Machine machine = FindMachine(name);
    std::printf("%-12s %-10s %4s memory, %d CPUs  %s\n", name.c_str(),
                DescribeGpus(machine).c_str(), FormatSize(machine.memory_bytes).c_str(),
                machine.cpus, machine.description.c_str());
  }
  return 0;
}

int KernelsCommand() {
  const std::vector<Kernel> cached = CachedKernels(CacheFolder());
  for (const KernelSeries& series : KnownKernelSeries()) {
    std::string releases;
    for (const Kernel& kernel : cached) {
      if (kernel.name == series.name) {
        releases += (releases.empty() ? "" : ", ") + kernel.release;
      }
    }
    std::printf("%-12s %-22s %s\n", series.name,
                releases.empty() ? "not fetched yet" : releases.c_str(), series.description);
  }
  for (const Kernel& kernel : BuiltKernels(CacheFolder())) {
    std::printf("%-12s %-22s made by kfdvm build\n", kernel.name.c_str(), kernel.release.c_str());
  }
  return 0;
}

int BuildCommand(const CommandLine& line) {
  const std::string script = ShareFolder() / "fixtures" / "kernel" / "build";
  std::vector<char*> arguments = {const_cast<char*>(script.c_str())};  // exec's older signature
  for (const std::string& argument : line.build) {
    arguments.push_back(const_cast<char*>(argument.c_str()));
  }
  arguments.push_back(nullptr);
  execv(script.c_str(), arguments.data());
  throw RunError(script + ": " + std::system_category().message(errno));
}

}  // namespace kfdcts::vm
