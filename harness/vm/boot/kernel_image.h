#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace kfdcts::vm {

/// A kernel that can be booted.
struct Kernel {
  std::string name;               ///< As the user gave it, or "debian-7.3".
  std::string release;            ///< As `uname -r`; empty where the image does not say.
  std::filesystem::path image;    ///< bzImage or vmlinux.
  std::filesystem::path modules;  ///< lib/modules/RELEASE; empty: all is built in.
};

/// `uname -r` out of the header of a bzImage (Documentation/arch/x86/boot.rst, kernel_version);
/// empty where `image` is none or does not say.
std::string KernelRelease(std::string_view image);

/// The ELF kernel that the bzImage `image` unpacks itself to, where it is packed by a tool that the
/// host has and can be started as such (PVH note); else empty. Booting it directly saves the
/// unpacking in the guest, 4 s of software emulation.
std::string UnpackKernel(std::string_view image);

/// True where `vmlinux` is an ELF file with the note that makes emulators start it directly.
bool StartsDirectly(std::string_view vmlinux);

/// What to boot for `image`: the unpacked kernel out of the cache (put there if it was not), or the
/// image itself. Throws RunError where it is unreadable or no kernel.
std::filesystem::path BootableImage(const std::filesystem::path& image,
                                    const std::filesystem::path& cache);

/// Whether the kernel's amdgpu has the display core: by the module's list of firmware, or for a
/// built-in driver by the kernel's configuration beside image or modules; false where neither says.
bool HasDisplayCore(const Kernel& kernel, std::string_view amdgpu_module);

}  // namespace kfdcts::vm
