#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace kfdcts::harness {

/// A process that uses KFD.
struct KfdUser {
  pid_t pid = 0;
  std::string name;  ///< As the kernel shortens it (/proc/PID/comm); "?" where it is not told.
};

/// The processes but this one that use KFD, by pid: those that /sys/class/kfd/kfd/proc has a folder
/// of; where a kernel has no such folder, those that hold /dev/kfd open, as far as this user may
/// see. `root` is where sys, proc and dev lie.
std::vector<KfdUser> OtherKfdUsers(const std::filesystem::path& root = "/");

}  // namespace kfdcts::harness
