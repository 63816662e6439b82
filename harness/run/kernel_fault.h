#pragma once

#include <map>
#include <string>

namespace kfdcts::harness {

/// Of a plan's environment: the fault that the kernel is to have; empty for none.
inline constexpr const char* kKernelFaultVariable = "KFDCTS_KERNEL_FAULT";

/// Turns on the fault that `environment` names, or all off; nothing where it does not hold the
/// variable. Throws std::system_error on a kernel without fixtures/breakages/kernel/patches.
void SetKernelFault(const std::map<std::string, std::string>& environment);

}  // namespace kfdcts::harness
