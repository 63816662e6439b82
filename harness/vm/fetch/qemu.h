#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kfdcts::vm {

/// An emulator that can be started.
struct Qemu {
  std::vector<std::string>
      command;  ///< Program, or its own loader and library path; arguments follow.
  std::vector<std::pair<std::string, std::string>> environment;
  std::string version;
};

/// The oldest version whose vfio-user-pci is there, as major and minor.
inline constexpr std::pair<int, int> kOldestQemu{10, 1};
inline constexpr const char* kTestedQemu = "11.1.3";

/// By its program's path. One that lies in an unpacked package tree is run by that tree's loader,
/// libraries and modules. Throws RunError where it cannot be run or is no QEMU.
Qemu QemuAt(const std::filesystem::path& program);

/// Empty where it is new enough and has vfio-user-pci, else why it does not do.
std::string WhyNotUsable(const Qemu& qemu);

/// The system's, where it does.
std::optional<Qemu> SystemQemu();

/// The cache's, where there is one.
std::optional<Qemu> CachedQemu(const std::filesystem::path& cache);

}  // namespace kfdcts::vm
