#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kfdcts::thunk {

/// One GPU of a FakeMachine. The defaults are a Vega 10's.
struct FakeGpu {
  uint32_t gpu_id = 0;          ///< as KFD's, not 0, 16 bits
  uint32_t render_minor = 128;  ///< of /dev/dri/renderD*
  uint64_t vram_bytes = 256ull << 20;
  bool large_bar = true;  ///< all of VRAM is visible to the host
  uint64_t gpuvm_base = 0x4000;
  uint64_t gpuvm_limit = 0x7fffffffffff;  ///< last address
  uint32_t gfx_target_version = 90000;
  uint32_t device_id = 0x6863;
  bool svm = true;    ///< topology's capability bit and what the SVM ioctl takes
  bool xnack = true;  ///< can retry page faults
  uint64_t hive_id = 0;
  bool gws = true;
  // What a queue's memory must be, bytes; areas are one XCC's.
  uint32_t eop_bytes = 0x1000;
  uint32_t ctl_stack_bytes = 0x5000;
  uint32_t cwsr_bytes = 0x1545000;
  uint32_t debug_memory_bytes = 0x10000;
  uint32_t xccs = 1;
  bool tells_cwsr = false;  ///< in sysfs, as Linux 6.18 and newer do
};

/// Bytes of a process' doorbells.
constexpr uint64_t DoorbellSlice(const FakeGpu& gpu) {
  return gpu.gfx_target_version >= 90000 ? 8192 : 4096;
}
/// Where /dev/kfd maps them.
constexpr uint64_t DoorbellOffset(const FakeGpu& gpu) {
  return 3ULL << 62U | static_cast<uint64_t>(gpu.gpu_id) << 46U;
}

constexpr uint32_t kFakeSdmaEngines = 2;
constexpr uint32_t kFakeSdmaQueuesPerEngine = 2;
/// What a stopped compute queue has saved, bytes.
constexpr uint32_t kFakeControlStackUsed = 0x40;
constexpr uint32_t kFakeSaveAreaUsed = 0x1000;

/// What the fake kernel shows. Node 0 is the CPU, the GPUs follow in order; with merged_apu node 0
/// is the CPU and the first GPU in one, as old kernels described an APU.
struct FakeMachine {
  std::vector<FakeGpu> gpus;
  uint32_t kfd_minor = 19;  ///< of the interface's version 1.x; calls that came later are ENOTTY
  bool merged_apu = false;
  uint32_t drm_svm_number = 0;    ///< of DRM_AMDGPU_GEM_SVM, as 0x1B; 0: not there
  bool drm_svm_segments = false;  ///< its GET answers for the uniform span at the start
  bool svm_built_in = true;       ///< without it the SVM and XNACK calls are EPERM
  uint32_t cpu_cores = 4;
  uint64_t system_memory_bytes = 2ull << 30;

  uint32_t NodeCount() const;
  /// The sysfs node of a GPU, by its place in `gpus`.
  uint32_t NodeOf(size_t gpu) const;
};

/// A machine of `gpu_count` GPUs that differ in gpu_id and render minor.
FakeMachine MakeFakeMachine(int gpu_count = 2);

/// Files by their absolute path; folders are implied.
using FakeFiles = std::map<std::string, std::string>;

/// /sys/devices/virtual/kfd/kfd/topology of the machine, and /proc/cpuinfo.
FakeFiles MakeTopologyFiles(const FakeMachine& machine);

}  // namespace kfdcts::thunk
