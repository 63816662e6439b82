#pragma once

#include <filesystem>

#include "harness/vm/boot/kernel_image.h"
#include "harness/vm/machine.h"

namespace kfdcts::vm {

struct Initramfs {
  std::filesystem::path file;
  bool display_core = false;  ///< HasDisplayCore() of the kernel it was made for.
};

struct InitramfsOptions {
  bool quick_driver = false;  ///< WithoutTraceSites() for amdgpu.
  bool gpus = false;  ///< The machine has some; without, the guest gets vgem's DRM nodes where the
                      ///< kernel has it.
};

/// The guest's first root: busybox, init, agent, the modules that `kernel` needs for the launcher's
/// devices and for the GPU driver with all they depend on, and the firmware. From the cache where
/// nothing changed. Throws RunError for whatever is missing, named.
Initramfs MakeInitramfs(const Kernel& kernel, const InitramfsOptions& options,
                        const std::filesystem::path& cache);

}  // namespace kfdcts::vm
