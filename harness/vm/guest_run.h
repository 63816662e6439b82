#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/vm/base/errors.h"  // RunError
#include "harness/vm/kernel_log.h"
#include "harness/vm/machine.h"

namespace kfdcts::vm {

/// In the guest: the folder that is shared with the host for writing (GuestResult::share_dir on the
/// host).
inline constexpr const char* kGuestShare = "/run/kfdvm/share";

/// In the guest: the character device that leads to the director of GPU `n` is kGuestDirectorPrefix
/// + n. One opener at a time.
inline constexpr const char* kGuestDirectorPrefix = "/dev/virtio-ports/kfdcts.director.";

enum class Accelerator { kAuto, kTcg, kKvm };

/// One boot of a guest that runs one program. All paths are the host's; the guest sees the host's
/// files at the same paths, read-only underneath (what it writes there stays in the guest and is
/// lost).
struct GuestRun {
  Machine machine;

  /// Empty: the system's where it does, else the cache's, else fetched.
  std::filesystem::path qemu;
  /// An image's path, a name as "debian-7.3", or the name or folder of one that `kfdvm build` made;
  /// empty: the default kernel.
  std::string kernel;
  /// lib/modules/RELEASE of a kernel given by path; empty: all is built in.
  std::filesystem::path modules;
  /// Further kernel parameters; they win over all others.
  std::string append;
  /// Drop amdgpu.ko's table of function-trace sites before loading it. Saves 20 s of boot under
  /// software emulation; costs the module's signature (taint E) and ftrace in it.
  bool quick_driver = false;
  /// 0: the machine's.
  std::uint64_t memory_bytes = 0;
  Accelerator accelerator = Accelerator::kAuto;
  /// Of localhost, for the kernel's gdb stub; the guest waits for gdb then. 0: no stub.
  int gdb_port = 0;
  /// Each virtual GPU writes gpuN.trace into the results folder.
  bool gpu_trace = false;

  /// Program (searched in PATH where it holds no '/') and its arguments.
  std::vector<std::string> command;
  /// Beside PATH, HOME, USER, TERM and LANG.
  std::vector<std::pair<std::string, std::string>> environment;
  /// Empty: the caller's.
  std::filesystem::path working_directory;
  /// Else an unprivileged user that may open the device nodes.
  bool root = false;

  /// Folder for console.log, kernel.log, qemu.log, gpuN.report and gpuN.log. Made if missing.
  std::filesystem::path results;
  /// Writable at kGuestShare; empty: results/share, made for the guest's user.
  std::filesystem::path share;

  /// For the program alone, counted from its start; 0: none.
  std::chrono::seconds timeout{0};
  /// From the emulator's start to the program's start.
  std::chrono::seconds boot_timeout{240};

  /// Read until end of file and given to the program; -1: an empty input. Not closed.
  int stdin_fd = -1;
  /// The program gets a terminal; stdin_fd and on_stdout carry it raw.
  bool terminal = false;
  /// Readable (and left unread): stop now. For a signalfd or the read end of a pipe.
  int cancel_fd = -1;

  /// Bytes as they come, in the thread that called Run(); empty: dropped.
  std::function<void(std::string_view)> on_stdout;
  std::function<void(std::string_view)> on_stderr;
  /// Every line of the kernel's log.
  std::function<void(const KernelLine&)> on_kernel_line;
  /// Progress of fetching, notices; one line each.
  std::function<void(const std::string&)> on_notice;
};

struct GuestResult {
  enum class End {
    kExited,     ///< exit_code is the program's.
    kSignalled,  ///< The program was killed; `signal` says by what.
    kTimedOut,
    kCancelled,
    kPanicked,  ///< "Kernel panic" on the console.
    kOopsed,    ///< An oops, BUG or general protection fault on the console.
    kNeverUp,   ///< The program was never started.
    kLost,      ///< The emulator or a virtual GPU ended by itself while the program ran.
  };

  End end = End::kNeverUp;
  int exit_code = 0;
  int signal = 0;
  /// For all but kExited and kSignalled.
  std::string reason;
  /// The console's last lines, oldest first, about 40.
  std::vector<std::string> console_tail;

  std::filesystem::path console_log;
  /// "<level>[seconds] text" a line, as dmesg --raw prints.
  std::filesystem::path kernel_log;
  std::filesystem::path qemu_log;
  std::filesystem::path share_dir;
  /// One a GPU; written when the virtual GPU ended.
  std::vector<std::filesystem::path> gpu_reports;

  /// From the emulator's start to the program's start.
  std::chrono::milliseconds boot_time{0};
  std::chrono::milliseconds program_time{0};
  /// When each stage of the boot was done, since the emulator's start.
  std::vector<std::pair<std::string, std::chrono::milliseconds>> boot_stages;

  /// As `uname -r` in the guest.
  std::string kernel_release;
  std::string qemu_version;

  /// The exit code of kfdvm: the program's own, 128 + signal, 124 for a time-out, 125 for a guest
  /// that panicked, oopsed, was lost or never came up, 130 for cancelled.
  int ProcessExitCode() const;
};

/// Boots, runs, and ends every process it started, whatever happens; returns when all are gone.
/// Throws RunError for bad input and, after a clean-up, for virtual GPUs that do not start. The
/// processes die with the calling thread. Several at once are fine where their results folders
/// differ.
GuestResult Run(const GuestRun& run);

}  // namespace kfdcts::vm
