#include "harness/probes/children.h"

#include <sys/wait.h>

#include <filesystem>
#include <fstream>

namespace kfdcts::harness {
namespace {

bool HasEnded(pid_t pid) {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
         info.si_pid == pid;
}

}  // namespace

std::map<pid_t, std::string> RunningChildren() {
  std::map<pid_t, std::string> children;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream in(thread.path() / "children");
    for (pid_t pid = 0; in >> pid;) {
      if (HasEnded(pid)) continue;
      std::ifstream comm("/proc/" + std::to_string(pid) + "/comm");
      std::getline(comm, children[pid]);
    }
  }
  return children;
}

}  // namespace kfdcts::harness
