#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/vm/kernel_log.h"
#include "harness/vm/machine.h"

namespace kfdcts::vm {

/// In the guest: the folder that is shared with the host for writing (GuestResult::share_dir on the
/// host).
inline constexpr const char* kGuestShare = "/run/kfdvm/share";

/// In the guest: the character device that leads to the director of GPU `n` is kGuestDirectorPrefix
/// + n. One opener at a time.
inline constexpr const char* kGuestDirectorPrefix = "/dev/virtio-ports/kfdcts.director.";

/// Bad input to a run: no such kernel image, no emulator, an unwritable folder. Nothing was
/// started.
class RunError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

enum class Accelerator { kAuto, kTcg, kKvm };

/// One boot of a guest that runs one program. All paths are the host's; the guest sees the host's
/// files at the same paths, read-only underneath (what it writes there stays in the guest and is
/// lost).
struct GuestRun {
  Machine machine;

  std::filesystem::path
      qemu;  ///< Program; empty: the system's where it does, else the cache's, else fetched.
  std::string kernel;  ///< An image's path or a name as "debian-7.3"; empty: the default kernel.
  std::filesystem::path
      modules;         ///< lib/modules/RELEASE of a kernel given by path; empty: all is built in.
  std::string append;  ///< Further kernel parameters; they win over all others.
  std::uint64_t memory_bytes = 0;  ///< 0: the machine's.
  Accelerator accelerator = Accelerator::kAuto;
  bool gdb = false;  ///< Gdb stub of the kernel on a free port of localhost, told on on_notice;
                     ///< waits for gdb.

  std::vector<std::string>
      command;  ///< Program (searched in PATH where it holds no '/') and its arguments.
  std::vector<std::pair<std::string, std::string>>
      environment;                          ///< Beside PATH, HOME, USER, TERM and LANG.
  std::filesystem::path working_directory;  ///< Empty: the caller's.
  bool root = false;  ///< Else an unprivileged user that may open the device nodes.

  std::filesystem::path
      results;  ///< console.log, kernel.log, qemu.log, gpuN.report … Made if missing.
  std::filesystem::path
      share;  ///< Writable at kGuestShare; empty: results/share, made for the guest's user.

  std::chrono::seconds timeout{0};  ///< For the program alone, counted from its start; 0: none.
  std::chrono::seconds boot_timeout{240};  ///< From the emulator's start to the program's start.

  int stdin_fd =
      -1;  ///< Read until end of file and given to the program; -1: an empty input. Not closed.
  bool terminal =
      false;  ///< The program gets a terminal; stdin_fd and on_stdout carry it raw. kfdvm shell.
  int cancel_fd =
      -1;  ///< Readable (and left unread): stop now. For a signalfd or the read end of a pipe.

  std::function<void(std::string_view)> on_stdout;  ///< Bytes as they come; empty: dropped.
  std::function<void(std::string_view)> on_stderr;
  std::function<void(const KernelLine&)> on_kernel_line;  ///< Every line of the kernel's log.
  std::function<void(const std::string&)>
      on_notice;  ///< Progress of fetching, notices; one line each.
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
  std::string reason;                     ///< One line for all but kExited and kSignalled.
  std::vector<std::string> console_tail;  ///< The console's last lines, oldest first, at most 40.

  std::filesystem::path console_log;
  std::filesystem::path kernel_log;  ///< "<level>[seconds] text" a line, as dmesg --raw prints.
  std::filesystem::path qemu_log;
  std::filesystem::path share_dir;
  std::vector<std::filesystem::path>
      gpu_reports;  ///< One a GPU; written when the virtual GPU ended.

  std::chrono::milliseconds boot_time{0};  ///< Emulator's start to the program's start.
  std::chrono::milliseconds program_time{0};
  std::vector<std::pair<std::string, std::chrono::milliseconds>>
      boot_stages;  ///< Since the emulator's start.

  std::string kernel_release;  ///< As `uname -r` in the guest.
  std::string qemu_version;

  /// The exit code of kfdvm: the program's own, 128 + signal, 124 for a time-out, 125 for a guest
  /// that panicked, oopsed, was lost or never came up, 130 for cancelled.
  int ProcessExitCode() const;
};

/// Boots, runs, and ends every process it started, whatever happens; returns when all are gone.
/// Throws RunError for bad input. Call it from a thread that outlives it; SIGPIPE must be ignored
/// or blocked. Several at once are fine where their results folders differ.
GuestResult Run(const GuestRun& run);

}  // namespace kfdcts::vm
