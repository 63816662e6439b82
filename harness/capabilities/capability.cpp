#include "harness/capabilities/capability.h"

#include <array>

namespace kfdcts::harness {
namespace {

struct Entry {
  Capability capability;
  std::string_view name;
  std::string_view description;
};

constexpr std::array kEntries = {
    Entry{Capability::kKfd, "kfd", "/dev/kfd opens"},
    Entry{Capability::kGpu, "gpu", "the GPUs that the test is named after are there"},
    Entry{Capability::kSvm, "svm", "the kernel has KFD SVM and every GPU supports it"},
    Entry{Capability::kXnackSwitchable, "xnack-switchable", "XNACK can be turned on and off"},
    Entry{Capability::kLargeBar, "large-bar", "the CPU can map all VRAM of the test's GPUs"},
    Entry{Capability::kPeerLink, "peer-link", "an IO link joins the test's GPUs"},
    Entry{Capability::kHive, "hive", "the test's GPUs belong to one hive"},
    Entry{Capability::kSharedMemory, "shared-memory", "the thunk can share memory here"},
    Entry{Capability::kSecondaryContext, "secondary-context",
          "a second context opens beside the first"},
    Entry{Capability::kRenderNode, "render-node", "the GPUs' render nodes open"},
    Entry{Capability::kCardNode, "card-node", "the GPUs' card nodes open"},
    Entry{Capability::kPagemap, "pagemap", "/proc/self/pagemap opens, and swap is off"},
    Entry{Capability::kRangeCount, "range-count", "KFD tells how many SVM ranges there are"},
    Entry{Capability::kKernelLog, "kernel-log", "/dev/kmsg opens for reading"},
    Entry{Capability::kTracer, "tracer", "system calls can be traced by seccomp"},
    Entry{Capability::kAllocationFailure, "allocation-failure",
          "heap allocations can be made to fail"},
    Entry{Capability::kThunkObjects, "thunk-objects", "the thunk tells how many objects it holds"},
    Entry{Capability::kDirector, "director", "the test's GPUs are virtual and take orders"},
};

constexpr auto kCapabilities = [] {
  std::array<Capability, kEntries.size()> list{};
  for (std::size_t i = 0; i < kEntries.size(); ++i) list[i] = kEntries[i].capability;
  return list;
}();

const Entry& EntryOf(Capability capability) {
  return kEntries[static_cast<std::size_t>(capability)];
}

}  // namespace

std::span<const Capability> AllCapabilities() { return kCapabilities; }

std::string_view NameOf(Capability capability) { return EntryOf(capability).name; }

std::string_view DescriptionOf(Capability capability) { return EntryOf(capability).description; }

std::string NameOf(const Requirement& requirement) {
  if (const auto* symbol = std::get_if<Symbol>(&requirement)) {
    return "symbol:" + std::string(symbol->name);
  }
  return std::string(NameOf(std::get<Capability>(requirement)));
}

}  // namespace kfdcts::harness
