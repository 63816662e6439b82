#include "harness/vm/run/kvm_probe.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <string>
#include <system_error>

#include "harness/vm/base/child_process.h"
#include "harness/vm/base/errors.h"
#include "harness/vm/base/files.h"

namespace fs = std::filesystem;

namespace kfdcts::vm {
namespace {

constexpr auto kLimit = std::chrono::seconds(5);

bool BootsUnderKvm(const Qemu& qemu, const fs::path& kernel, int cancel_fd) {
  FdPair console = MakePipe();
  SpawnOptions spawn;
  spawn.argv = qemu.command;
  for (const char* argument :
       {"-nodefaults", "-no-user-config", "-no-reboot", "-display", "none", "-accel", "kvm",
        "-machine", "q35", "-cpu", "host,-hypervisor", "-m", "512M", "-serial", "stdio", "-append",
        "console=ttyS0 panic=-1", "-kernel"}) {
    spawn.argv.emplace_back(argument);
  }
  spawn.argv.push_back(kernel.string());
  spawn.environment = qemu.environment;
  spawn.stdout_fd = console.second.get();
  const ChildProcess emulator = ChildProcess::Spawn(spawn);
  console.second.Reset();
  std::string seen;
  const auto end = std::chrono::steady_clock::now() + kLimit;
  while (seen.find("Kernel panic - not syncing: VFS") == std::string::npos) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    std::array<pollfd, 2> fds{{{console.first.get(), POLLIN, 0}, {cancel_fd, POLLIN, 0}}};
    if (left.count() <= 0) {
      return false;
    }
    if (poll(fds.data(), fds.size(), static_cast<int>(left.count())) <= 0) {
      continue;
    }
    if (fds[1].revents != 0) {
      throw Cancelled();
    }
    std::array<char, 4096> buffer;
    const ssize_t got = read(console.first.get(), buffer.data(), buffer.size());
    if (got == 0 || (got < 0 && errno != EINTR)) {
      return false;
    }
    seen.append(buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  }
  return true;
}

}  // namespace

bool KvmWorks(const Qemu& qemu, const fs::path& kernel, const fs::path& cache, int cancel_fd) {
  if (access("/dev/kvm", R_OK | W_OK) != 0) {
    return false;
  }
  const std::string question =
      ReadFile("/proc/sys/kernel/random/boot_id") + qemu.version + "\n" + kernel.string() + "\n";
  const fs::path kept = cache / "kvm-probe";
  if (access(kept.c_str(), R_OK) == 0) {
    const std::string answer = ReadFile(kept);
    if (answer == question + "yes\n" || answer == question + "no\n") {
      return answer.ends_with("yes\n");
    }
  }
  const bool works = BootsUnderKvm(qemu, kernel, cancel_fd);
  const fs::path fresh = kept.string() + "." + std::to_string(getpid()) + ".new";
  WriteFile(fresh, question + (works ? "yes\n" : "no\n"));
  fs::rename(fresh, kept);
  return works;
}

}  // namespace kfdcts::vm
