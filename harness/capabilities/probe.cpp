#include "harness/capabilities/probe.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "harness/gpu/error.h"
#include "harness/gpu/pagemap.h"
#include "harness/gpu/unique_fd.h"
#include "harness/probes/allocation_failure.h"
#include "harness/probes/kfd_objects.h"
#include "harness/probes/syscall_tracer.h"
#include "harness/probes/thunk_objects.h"
#include "harness/vm/guest_run.h"

namespace kfdcts::harness {
namespace {

using Missing = std::optional<std::string>;

constexpr std::uint64_t kCapabilitySvm = 1U << 27U;  // HSA_CAP_SVMAPI_SUPPORTED, kfd_sysfs.h

Missing UnlessOpens(const std::string& path, int flags) {
  const gpu::UniqueFd fd(open(path.c_str(), flags | O_CLOEXEC));
  if (fd.valid()) return std::nullopt;
  return path + ": " + std::strerror(errno);
}

/// The first of the test's GPUs that lacks something.
Missing OnEachGpu(const ProbeContext& context,
                  const std::function<Missing(const GpuNode&)>& probe) {
  if (context.gpus.empty()) return "the test is about no GPU";
  for (const auto& gpu : context.gpus) {
    if (auto missing = probe(gpu)) return "gpu" + std::to_string(gpu.ordinal) + ": " + *missing;
  }
  return std::nullopt;
}

Missing UnlessThunkOpen(const ProbeContext& context) {
  if (context.thunk != nullptr && context.kfd_open) return std::nullopt;
  return "not known while the thunk has KFD closed";
}

Missing Svm(const ProbeContext& context) {
  if (context.system_gpus.empty()) return "no GPU";
  for (const auto& gpu : context.system_gpus) {
    if ((gpu.facts.Property("capability") & kCapabilitySvm) == 0) {
      return "gpu" + std::to_string(gpu.ordinal) + " or the kernel has no SVM";
    }
  }
  return std::nullopt;
}

Missing XnackSwitchable(const ProbeContext& context) {
  if (auto missing = UnlessThunkOpen(context)) return missing;
  const ThunkApi& api = context.thunk->api();
  if (!api.hsaKmtGetXNACKMode || !api.hsaKmtSetXNACKMode) return "the thunk has no XNACK calls";
  HSAint32 mode = 0;
  if (const auto status = api.hsaKmtGetXNACKMode(&mode); status != HSAKMT_STATUS_SUCCESS) {
    return "hsaKmtGetXNACKMode gives status " + std::to_string(status);
  }
  const auto status = api.hsaKmtSetXNACKMode(mode == 0 ? 1 : 0);
  if (status != HSAKMT_STATUS_SUCCESS) {
    return "hsaKmtSetXNACKMode gives status " + std::to_string(status);
  }
  api.hsaKmtSetXNACKMode(mode);
  return std::nullopt;
}

Missing LargeBar(const GpuNode& gpu) {
  if (gpu.facts.vram_is_public) return std::nullopt;
  return "not all of its VRAM is visible to the CPU";
}

/// The value of "node_to" in a link's properties.
std::optional<std::uint64_t> LinkTarget(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string key;
  for (std::uint64_t value = 0; in >> key >> value;) {
    if (key == "node_to") return value;
  }
  return std::nullopt;
}

Missing PeerLink(const ProbeContext& context) {
  if (context.gpus.size() < 2) return "the test is about one GPU";
  const std::filesystem::path node =
      std::filesystem::path(gpu::kTopologyPath) / "nodes" / std::to_string(context.gpus[0].node_id);
  for (const char* kind : {"io_links", "p2p_links"}) {
    std::error_code error;
    for (const auto& link : std::filesystem::directory_iterator(node / kind, error)) {
      if (LinkTarget(link.path() / "properties") == context.gpus[1].node_id) return std::nullopt;
    }
  }
  return "no IO link joins the test's GPUs";
}

Missing Hive(const ProbeContext& context) {
  if (context.gpus.size() < 2) return "the test is about one GPU";
  const auto hive = context.gpus[0].facts.Property("hive_id");
  const bool one = hive != 0 && std::all_of(context.gpus.begin(), context.gpus.end(),
                                            [hive](const GpuNode& gpu) {
                                              return gpu.facts.Property("hive_id") == hive;
                                            });
  return one ? Missing{} : "the test's GPUs share no hive";
}

Missing SharedMemory(const ProbeContext& context) {
  if (auto missing = UnlessThunkOpen(context)) return missing;
  if (context.system_gpus.empty()) return "no GPU";
  const ThunkApi& api = context.thunk->api();
  if (!api.hsaKmtShareMemory) return "the thunk has no hsaKmtShareMemory";
  HsaMemFlags flags{};
  flags.ui32.NonPaged = 1;
  const auto size = static_cast<HSAuint64>(sysconf(_SC_PAGESIZE));
  void* memory = nullptr;
  const auto allocated =
      api.hsaKmtAllocMemory(context.system_gpus.front().node_id, size, flags, &memory);
  if (allocated != HSAKMT_STATUS_SUCCESS) return "no VRAM to share";
  HsaSharedMemoryHandle handle{};
  const auto status = api.hsaKmtShareMemory(memory, size, &handle);
  api.hsaKmtFreeMemory(memory, size);
  if (status == HSAKMT_STATUS_SUCCESS) return std::nullopt;
  return "hsaKmtShareMemory gives status " + std::to_string(status);
}

Missing SecondaryContext(const ProbeContext& context) {
  if (auto missing = UnlessThunkOpen(context)) return missing;
  const ThunkApi& api = context.thunk->api();
  if (!api.hsaKmtOpenSecondaryKFDCtx || !api.hsaKmtCloseSecondaryKFDCtx) {
    return "the thunk has no calls for a second context";
  }
  HsaKFDContext* second = nullptr;
  const auto status = api.hsaKmtOpenSecondaryKFDCtx(&second);
  if (status == HSAKMT_STATUS_SUCCESS && second != nullptr) {
    api.hsaKmtCloseSecondaryKFDCtx(second);
    return std::nullopt;
  }
  return "hsaKmtOpenSecondaryKFDCtx gives status " + std::to_string(status) +
         (second == nullptr ? " and no context" : "");
}

std::string RenderNode(const GpuNode& gpu) {
  return "renderD" + std::to_string(gpu.facts.Property("drm_render_minor"));
}

Missing CardNode(const GpuNode& gpu) {
  const auto siblings = std::filesystem::path("/sys/class/drm") / RenderNode(gpu) / "device/drm";
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(siblings, error)) {
    const std::string name = entry.path().filename();
    if (name.starts_with("card")) return UnlessOpens("/dev/dri/" + name, O_RDWR);
  }
  return siblings.string() + " has no card node";
}

Missing Director(const GpuNode& gpu) {
  const std::string path = vm::kGuestDirectorPrefix + std::to_string(gpu.ordinal);
  if (access(path.c_str(), R_OK | W_OK) == 0) return std::nullopt;
  return path + ": " + std::strerror(errno);
}

Missing Pagemap() {
  if (auto missing = UnlessOpens("/proc/self/pagemap", O_RDONLY)) return missing;
  return gpu::SwapIsOff() ? Missing{} : "swap is in use, whose pages look like a GPU's";
}

Missing RangeCount() {
  try {
    CountKfdObjects();
    return std::nullopt;
  } catch (const gpu::GpuError& error) {
    return error.what();
  }
}

Missing Tracer() {
  std::string reason = SyscallTracer::WhyUnavailable();
  return reason.empty() ? Missing{} : Missing{std::move(reason)};
}

Missing Probe(Capability capability, const ProbeContext& context) {
  switch (capability) {
    case Capability::kKfd:
      return UnlessOpens("/dev/kfd", O_RDWR);
    case Capability::kGpu:
      return OnEachGpu(context, [](const GpuNode&) { return Missing{}; });
    case Capability::kSvm:
      return Svm(context);
    case Capability::kXnackSwitchable:
      return XnackSwitchable(context);
    case Capability::kLargeBar:
      return OnEachGpu(context, LargeBar);
    case Capability::kPeerLink:
      return PeerLink(context);
    case Capability::kHive:
      return Hive(context);
    case Capability::kSharedMemory:
      return SharedMemory(context);
    case Capability::kSecondaryContext:
      return SecondaryContext(context);
    case Capability::kRenderNode:
      return OnEachGpu(context, [](const GpuNode& gpu) {
        return UnlessOpens("/dev/dri/" + RenderNode(gpu), O_RDWR);
      });
    case Capability::kCardNode:
      return OnEachGpu(context, CardNode);
    case Capability::kPagemap:
      return Pagemap();
    case Capability::kRangeCount:
      return RangeCount();
    case Capability::kKernelLog:
      return UnlessOpens("/dev/kmsg", O_RDONLY | O_NONBLOCK);
    case Capability::kTracer:
      return Tracer();
    case Capability::kAllocationFailure:
      return AllocationFailure::Available() ? Missing{} : "a sanitizer's allocator is in use";
    case Capability::kThunkObjects:
      return context.thunk != nullptr && ThunkObjects::Available(*context.thunk)
                 ? Missing{}
                 : "the thunk exports no count of its objects";
    case Capability::kDirector:
      return OnEachGpu(context, Director);
  }
  return "not known";
}

}  // namespace

Missing WhyMissing(const Requirement& requirement, const ProbeContext& context) {
  if (const auto* symbol = std::get_if<Symbol>(&requirement)) {
    if (context.thunk != nullptr && context.thunk->Exports(symbol->name)) return std::nullopt;
    return "the thunk under test does not export it";
  }
  return Probe(std::get<Capability>(requirement), context);
}

}  // namespace kfdcts::harness
