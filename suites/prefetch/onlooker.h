#pragma once

#include <sys/types.h>

#include <cstdint>

namespace kfdcts::suites {

/// How another process gets at this one's memory.
enum class Look {
  kPtracePeek,  ///< PTRACE_ATTACH, PTRACE_PEEKDATA or PTRACE_POKEDATA, PTRACE_DETACH.
  kProcessVm,   ///< process_vm_readv or process_vm_writev.
  kProcMem,     ///< pread or pwrite of /proc/PID/mem.
};

/// A process that reads and writes this one's memory as a debugger does. Make it before the memory
/// that it is to look at: then the two share no page of it.
class Onlooker {
 public:
  /// Throws std::system_error.
  Onlooker();
  ~Onlooker();
  Onlooker(const Onlooker&) = delete;
  Onlooker& operator=(const Onlooker&) = delete;

  /// The 32 bits at an address of this process. Throws std::system_error as its calls failed.
  std::uint32_t Read(Look look, const std::uint32_t* address);
  void Write(Look look, std::uint32_t* address, std::uint32_t value);

 private:
  std::uint32_t Ask(Look look, bool write, const std::uint32_t* address, std::uint32_t value);

  pid_t child_ = -1;
  int socket_ = -1;
};

/// The 32 bits at an address of this process, as gdb shows them. Throws CapabilityMissing where
/// there is no gdb, and std::runtime_error with gdb's words where it does not show them.
std::uint32_t ReadByGdb(const std::uint32_t* address);

}  // namespace kfdcts::suites
