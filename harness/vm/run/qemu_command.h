#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace kfdcts::vm {

/// A named port of the guest whose other end is `fd` (an inherited socket) or, where `fd` is
/// negative, the socket at `path`.
struct GuestPort {
  std::string name;
  int fd = -1;
  std::filesystem::path path;
};

struct QemuOptions {
  bool kvm = false;
  std::filesystem::path kernel;
  std::filesystem::path initramfs;
  std::string parameters;
  std::uint64_t memory_bytes = 0;
  int cpus = 1;
  int console_fd = -1;   ///< The serial console.
  int terminal_fd = -1;  ///< The program's terminal; -1: none.
  std::vector<GuestPort> ports;
  std::filesystem::path share;              ///< Writable in the guest.
  std::vector<std::filesystem::path> gpus;  ///< vfio-user sockets.
  int gdb_port = 0;
};

/// All arguments of the emulator. The host's root goes in read-only. Names of sockets and folders
/// must hold no comma.
std::vector<std::string> QemuArguments(const QemuOptions& options);

/// Tags that guest/init mounts.
inline constexpr const char* kRootTag = "kfdvm.root";
inline constexpr const char* kShareTag = "kfdvm.share";

}  // namespace kfdcts::vm
