#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kfdcts::harness {

/// A set of system calls, by number and, for ioctl, by type and number of the request (the size
/// and direction bits differ between versions of a header).
struct SyscallMatch {
  int number = 0;                             ///< __NR_ioctl, …
  std::optional<std::uint16_t> ioctl_code{};  ///< (type << 8) | nr of the request; none: any.

  static SyscallMatch Ioctl();                       ///< Every ioctl.
  static SyscallMatch Ioctl(unsigned long request);  ///< Those of this request's type and number.
  static SyscallMatch Call(int number);              ///< Every call of this number.
};

/// Bytes written over what a call gave back.
struct Patch {
  std::size_t offset = 0;           ///< In the ioctl's argument, or behind the pointer below.
  std::vector<std::uint8_t> bytes;  ///< At most 64.
  /// Where the bytes lie in memory that the argument points to: the offset of that pointer.
  std::optional<std::size_t> pointer_offset{};

  /// A value of any plain type as the bytes.
  template <typename T>
  static Patch Value(std::size_t offset, T value, std::optional<std::size_t> pointer = {}) {
    const auto* first = reinterpret_cast<const std::uint8_t*>(&value);
    return Patch{offset, std::vector<std::uint8_t>(first, first + sizeof(T)), pointer};
  }
};

/// Sees, fails and falsifies the system calls of this process, raw ones too, by seccomp's user
/// notification. A thread of its own answers for the kernel; it makes a falsified call itself, in
/// this process, since KFD answers no other. Traced are the thread that installs the tracer and
/// every thread and process that it starts later: ioctl, mmap, munmap, mremap, mprotect, madvise,
/// open, openat, close. A filter stays for the life of a process, and so does the tracer: it is for
/// processes that end with the test (Process::kTraced, RunInChild). A signal whose handler lacks
/// SA_RESTART may make a traced call fail with EINTR before it begins.
/// All functions are for one thread at a time, and none makes a traced call while it holds up the
/// tracer.
class SyscallTracer {
 public:
  /// The process's tracer, installed at the first call. Throws std::system_error where the kernel
  /// refuses.
  static SyscallTracer& Install();
  SyscallTracer(const SyscallTracer&) = delete;
  SyscallTracer& operator=(const SyscallTracer&) = delete;

  /// Empty if it would work here, else why not.
  static std::string WhyUnavailable();

  /// Calls that match since Install() or Reset(), failed ones included.
  std::uint64_t Count(const SyscallMatch& match) const;

  /// The calls since Reset(), oldest first, the first 1024 of them: "ioctl 4b16, mmap". For
  /// messages.
  std::string Describe() const;

  /// Forgets counts, and every Fail and Falsify.
  void Reset();

  /// The `nth` matching call from now on (1: the next) is not made and gives `error`. At most 32
  /// interventions at once; std::length_error beyond.
  void FailNth(const SyscallMatch& match, std::uint64_t nth, int error);

  /// Every matching call from now on fails so.
  void FailAll(const SyscallMatch& match, int error);

  /// The `nth` matching ioctl from now on (0: every one) is made and, if it succeeds, patched. Only
  /// for calls of this process's own threads that do not wait for another traced call.
  void FalsifyNth(const SyscallMatch& match, std::uint64_t nth, const Patch& patch);

  /// How often a Fail or Falsify struck since Reset().
  std::uint64_t Interventions() const;

 private:
  class Impl;
  SyscallTracer();
  ~SyscallTracer() = default;
  Impl* impl_;  ///< Never freed: its thread serves the process to its end.
};

/// From here on any ioctl of this thread, and of what it starts, kills the process (SIGSYS). There
/// is no way back: for the end of a RunInChild body. Throws std::system_error.
void KillOnIoctl();

}  // namespace kfdcts::harness
