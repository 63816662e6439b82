#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kfdcts::vm {

/// What the guest's agent has to run. It goes from host to guest as a file of "key=value" records,
/// each ended by a zero byte.
struct ProgramSpec {
  std::vector<std::string> command;      ///< At least the program.
  std::vector<std::string> environment;  ///< "NAME=value", all of it.
  std::string working_directory;         ///< Absolute.
  uid_t uid = 0;
  gid_t gid = 0;
  std::vector<gid_t> groups;
  bool open_path = false;  ///< Make the folders above program and working directory passable to the
                           ///< user, in the guest.
  bool terminal = false;   ///< On /dev/hvc0 as controlling terminal, else on pipes.
  unsigned short rows = 0;  ///< Of the terminal; 0: unknown.
  unsigned short columns = 0;

  std::string Serialise() const;

  /// Nothing for anything that Serialise() does not write.
  static std::optional<ProgramSpec> Parse(std::string_view text);
};

/// Names of the guest's ports; the guest finds them below kPortFolder.
inline constexpr const char* kPortFolder = "/dev/virtio-ports/";
inline constexpr const char* kControlPort = "kfdvm.control";
inline constexpr const char* kStdoutPort = "kfdvm.stdout";
inline constexpr const char* kStderrPort = "kfdvm.stderr";
inline constexpr const char* kStdinPort = "kfdvm.stdin";
inline constexpr const char* kKernelLogPort = "kfdvm.kmsg";

// Lines on the control port, guest to host, in this order:
//   started RELEASE        the program runs (or could not be started; its exit follows)
//   exit CODE | signal N   how it ended
//   drained                all that it printed was sent
/// The last line of the kernel's log that the agent makes, after "drained".
inline constexpr const char* kKernelLogEnd = "kfdvm: the program has ended";

}  // namespace kfdcts::vm
