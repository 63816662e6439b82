#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>

namespace kfdcts::harness {

/// What a test may ask of the place where it runs: of the kernel, the GPUs, the thunk or the
/// harness's own build. A test never asks for a target or a machine by name.
enum class Capability {
  kKfd,                ///< /dev/kfd opens.
  kGpu,                ///< The thunk's topology has every GPU that the test is named after.
  kSvm,                ///< The kernel has KFD SVM and every GPU of the system supports it.
  kXnackSwitchable,    ///< Retry faults can be turned on and off.
  kLargeBar,           ///< Every GPU of the test has all its VRAM visible to the CPU.
  kPeerLink,           ///< The test's GPUs have an IO link to one another.
  kHive,               ///< The test's GPUs belong to one hive.
  kSharedMemory,       ///< hsaKmtShareMemory works (KFD's IPC calls, or a thunk that does without).
  kSecondaryContext,   ///< A second context opens: by the thunk, and by the kernel.
  kRenderNode,         ///< The render nodes of the test's GPUs open.
  kCardNode,           ///< The card (primary) nodes of the test's GPUs open.
  kPagemap,            ///< /proc/self/pagemap opens, and with no swap in use a swap entry is a
                       ///< page on a GPU.
  kRangeCount,         ///< KFD tells this process how many SVM ranges it has (CRIU's PROCESS_INFO).
  kKernelLog,          ///< /dev/kmsg opens for reading.
  kTracer,             ///< Seccomp with user notification: system calls counted, failed, falsified.
  kAllocationFailure,  ///< malloc can be made to fail; not in a sanitizer build.
  kThunkObjects,       ///< The thunk tells how many memory objects it holds.
  kDirector,           ///< The control channel of the test's virtual GPUs.
};

/// Every capability, in the order of the list above.
std::span<const Capability> AllCapabilities();

/// The name in reports and skip reasons, as "svm" or "large-bar".
std::string_view NameOf(Capability capability);

/// One sentence on what having it means.
std::string_view DescriptionOf(Capability capability);

/// A symbol of the API that the thunk under test must export.
struct Symbol {
  std::string_view name;
};

/// What a test may need: a capability or a symbol of the thunk.
using Requirement = std::variant<Capability, Symbol>;

/// "large-bar", or "symbol:hsaKmtOpenKFDCtx".
std::string NameOf(const Requirement& requirement);

/// Thrown where a test finds out that it cannot go on here; the fixture turns it into a skip.
class CapabilityMissing : public std::runtime_error {
 public:
  /// `capability` as NameOf() gives it; `reason` one line on why it is missing.
  CapabilityMissing(std::string capability, const std::string& reason)
      : std::runtime_error(reason), capability_(std::move(capability)) {}

  const std::string& capability() const { return capability_; }

 private:
  std::string capability_;
};

}  // namespace kfdcts::harness
