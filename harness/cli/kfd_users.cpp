#include "harness/cli/kfd_users.h"

#include <unistd.h>

#include <charconv>
#include <fstream>
#include <set>
#include <string_view>
#include <system_error>

namespace kfdcts::harness {

namespace fs = std::filesystem;

namespace {

/// The number that a folder's name is or begins with ("412", "412_1"); 0: none.
pid_t PidOf(std::string_view name) {
  pid_t pid = 0;
  std::from_chars(name.data(), name.data() + name.size(), pid);
  return pid;
}

std::string NameOf(const fs::path& root, pid_t pid) {
  std::ifstream in(root / "proc" / std::to_string(pid) / "comm");
  std::string name;
  return std::getline(in, name) && !name.empty() ? name : "?";
}

std::set<pid_t> NamedByKfd(const fs::path& folder) {
  std::set<pid_t> pids;
  std::error_code ended;  // a process may end while its folder is looked at
  for (const auto& entry : fs::directory_iterator(folder, ended)) {
    pids.insert(PidOf(entry.path().filename().string()));
  }
  return pids;
}

bool HoldsKfd(const fs::path& process) {
  std::error_code refused;
  for (const auto& fd : fs::directory_iterator(process / "fd", refused)) {
    if (fs::read_symlink(fd.path(), refused) == "/dev/kfd") return true;
  }
  return false;
}

std::set<pid_t> HoldersOfKfd(const fs::path& processes) {
  std::set<pid_t> pids;
  std::error_code refused;
  for (const auto& entry : fs::directory_iterator(processes, refused)) {
    const pid_t pid = PidOf(entry.path().filename().string());
    if (pid > 0 && HoldsKfd(entry.path())) pids.insert(pid);
  }
  return pids;
}

}  // namespace

std::vector<KfdUser> OtherKfdUsers(const fs::path& root) {
  const fs::path folder = root / "sys/class/kfd/kfd/proc";
  auto pids = fs::is_directory(folder) ? NamedByKfd(folder) : HoldersOfKfd(root / "proc");
  pids.erase(0);
  pids.erase(getpid());
  std::vector<KfdUser> users;
  for (const pid_t pid : pids) users.push_back({pid, NameOf(root, pid)});
  return users;
}

}  // namespace kfdcts::harness
