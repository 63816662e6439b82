#pragma once

#include <string>

#include "harness/vm/machine.h"

namespace kfdcts::vm {

struct KernelParameterInput {
  bool display_core = false;  ///< The kernel's amdgpu has it.
  int ports = 0;              ///< How many named ports the guest has to wait for.
  std::string spec_file{};    ///< ProgramSpec, by its path on the host.
  std::string append{};       ///< The user's, last.
};

/// The guest's kernel command line.
std::string KernelParameters(const Machine& machine, const KernelParameterInput& input);

}  // namespace kfdcts::vm
