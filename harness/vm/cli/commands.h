#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "harness/vm/guest_run.h"

namespace kfdcts::vm {

/// What the command line said; sizes and lists already checked.
struct CommandLine {
  GuestRun run;  ///< Without machine and callbacks.
  std::string machine = kDefaultMachine;
  bool pass_stdin = false;
  bool terminal = false;
  std::vector<std::string> kernels;  ///< Of fetch.
  std::vector<std::string> build;    ///< Arguments of fixtures/kernel/build.
};

/// Each returns the program's exit code and may throw RunError, MachineError or std::exception.
int RunCommand(CommandLine& line);
int FetchCommand(const CommandLine& line);
int MachinesCommand();
int KernelsCommand();
/// Becomes fixtures/kernel/build: returns only by throwing.
int BuildCommand(const CommandLine& line);

}  // namespace kfdcts::vm
