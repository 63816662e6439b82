#pragma once

#include <optional>
#include <span>
#include <string>

#include "harness/capabilities/capability.h"
#include "harness/test_support/gpu_node.h"
#include "harness/thunk/thunk.h"

namespace kfdcts::harness {

/// What a capability is asked of.
struct ProbeContext {
  const Thunk* thunk = nullptr;   ///< Null where none is loaded.
  bool kfd_open = false;          ///< Whether the thunk has KFD open.
  std::span<const GpuNode> gpus;  ///< The test's.
  std::span<const GpuNode> system_gpus;
};

/// Nothing where the requirement is met, else one line on why not. Leaves nothing behind.
std::optional<std::string> WhyMissing(const Requirement& requirement, const ProbeContext& context);

}  // namespace kfdcts::harness
