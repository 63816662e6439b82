#include "harness/vm/boot/initramfs.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <span>
#include <system_error>
#include <vector>

#include "harness/vm/base/errors.h"
#include "harness/vm/base/files.h"
#include "harness/vm/boot/cached_file.h"
#include "harness/vm/boot/cpio.h"
#include "harness/vm/boot/kernel_module.h"

namespace fs = std::filesystem;

namespace kfdcts::vm {
namespace {

/// What the launcher's own devices need; kernels differ in which of them are built in.
const std::vector<std::string> kTransportModules{"virtio_pci", "virtio_console", "9pnet_virtio",
                                                 "9p", "overlay"};

/// Applets that guest/init calls.
constexpr std::array kApplets{"sh", "cat",   "chmod", "hostname", "insmod", "ip", "ln",
                              "ls", "mkdir", "mount", "poweroff", "usleep", "wc", "xargs"};

/// Everything that goes in, by what it is for.
struct Inputs {
  fs::path busybox;
  fs::path init;
  fs::path agent;
  std::vector<fs::path> firmware;
};

fs::path Required(const fs::path& file, const std::string& what) {
  if (access(file.c_str(), R_OK) != 0) {
    throw RunError(what + ": " + file.string() + ": " +
                   std::error_code(errno, std::generic_category()).message());
  }
  return file;
}

/// A busybox that needs no library: the guest has none at that time.
fs::path FindBusybox() {
  for (const char* file : {"/bin/busybox", "/usr/bin/busybox", "/usr/local/bin/busybox"}) {
    if (access(file, X_OK) == 0 && ReadFile(file).find("/lib64/ld-linux") == std::string::npos) {
      return file;
    }
  }
  throw RunError("no static busybox found (package busybox-static)");
}

Inputs FindInputs(bool gpus) {
  Inputs inputs;
  inputs.busybox = FindBusybox();
  inputs.init = Required(ShareFolder() / "guest" / "init", "the guest's init");
  inputs.agent = Required(ProgramFolder().parent_path() / "libexec" / "kfdcts" / "guest-agent",
                          "the guest's agent");
  const fs::path firmware = ShareFolder() / "firmware" / "amdgpu";
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(firmware, error)) {
    inputs.firmware.push_back(entry.path());
  }
  if (gpus && inputs.firmware.empty()) {
    throw RunError(firmware.string() + ": no firmware for the virtual GPUs there");
  }
  std::ranges::sort(inputs.firmware);
  return inputs;
}

/// Modules in the order of loading, without those that `loaded` has; returns the file that lists
/// them.
std::string AddModules(CpioWriter& archive, const std::vector<ModuleTree::Module>& modules,
                       std::vector<std::string>& loaded) {
  std::string order;
  for (const auto& module : modules) {
    if (std::ranges::find(loaded, module.name) != loaded.end()) {
      continue;
    }
    loaded.push_back(module.name);
    archive.File("modules/" + module.name + ".ko", module.content);
    order += module.name + "\n";
  }
  return order;
}

struct Packed {
  std::string bytes;
  bool display_core = false;
  std::vector<fs::path> modules;
};

void AddDriver(CpioWriter& archive, const Kernel& kernel, const InitramfsOptions& options,
               Packed& packed) {
  if (kernel.modules.empty()) {
    archive.File("modules/transport", "");
    archive.File("modules/driver", "");
    packed.display_core = HasDisplayCore(kernel, "");
    return;
  }
  const ModuleTree tree(kernel.modules);
  std::vector<std::string> loaded;
  const auto transport = tree.Closure(kTransportModules);
  archive.File("modules/transport", AddModules(archive, transport, loaded));
  auto driver = tree.Closure(options.gpus ? std::vector<std::string>{"amdgpu"}
                                          : std::vector<std::string>{"vgem", "amdgpu"});
  std::string amdgpu;
  for (auto& module : driver) {
    if (module.name == "amdgpu") {
      amdgpu = module.content;
      module.content = options.quick_driver
                           ? WithoutTraceSites(std::move(module.content), module.file.string())
                           : std::move(module.content);
    }
  }
  packed.display_core = HasDisplayCore(kernel, amdgpu);
  archive.File("modules/driver", AddModules(archive, driver, loaded));
  for (const auto& modules : {std::span(transport), std::span<const ModuleTree::Module>(driver)}) {
    for (const auto& module : modules) {
      packed.modules.push_back(module.file);
    }
  }
}

Packed Pack(const Kernel& kernel, const InitramfsOptions& options, const Inputs& inputs) {
  CpioWriter archive;
  Packed packed;
  // The kernel opens it for init before anything is mounted.
  archive.CharacterDevice("dev/console", 5, 1);
  for (const char* folder : {"proc", "sys"}) {
    archive.Folder(folder);
  }
  archive.File("init", ReadFile(inputs.init), 0755);
  archive.File("agent", ReadFile(inputs.agent), 0755);
  archive.File("bin/busybox", ReadFile(inputs.busybox), 0755);
  for (const char* applet : kApplets) {
    archive.Link(std::string("bin/") + applet, "busybox");
  }
  for (const fs::path& file : inputs.firmware) {
    archive.File("lib/firmware/amdgpu/" + file.filename().string(), ReadFile(file));
  }
  AddDriver(archive, kernel, options, packed);
  packed.bytes = archive.Finish();
  return packed;
}

}  // namespace

Initramfs MakeInitramfs(const Kernel& kernel, const InitramfsOptions& options,
                        const fs::path& cache) {
  const Inputs inputs = FindInputs(options.gpus);
  std::vector<fs::path> files{kernel.image, kernel.modules, inputs.busybox, inputs.init,
                              inputs.agent};
  files.insert(files.end(), inputs.firmware.begin(), inputs.firmware.end());
  const std::string flags =
      std::string(options.quick_driver ? "quick " : "stock ") + (options.gpus ? "gpus" : "cpus");
  const CachedFile entry(cache, "initramfs", flags, files);
  constexpr const char* kDisplay = "display core";
  if (const auto found = entry.Find()) {
    return {found->file, found->note == kDisplay};
  }
  const Packed packed = Pack(kernel, options, inputs);
  std::erase(files, fs::path());
  files.insert(files.end(), packed.modules.begin(), packed.modules.end());
  return {entry.Store(packed.bytes, packed.display_core ? kDisplay : "", files),
          packed.display_core};
}

}  // namespace kfdcts::vm
