#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace kfdcts::thunk {

/// A kind of system call, as call counts and failures name it. Ioctls of KFD are KfdCall(nr).
enum class CallKind : std::uint32_t {
  kOpen = 0x100,
  kClose,
  kDrmIoctl,
  kMmap,
  kMunmap,
  kMadvise,
  kMbind,
  kPidfdOpen,
  kPidfdGetfd,
  kAllowTracers,
  kReadFile,
  kListFolder,
  kOpenDrmDevice,
  kLast = kOpenDrmDevice
};

/// The kind of a KFD ioctl, by its request (AMDKFD_IOC_*).
constexpr CallKind KfdCall(unsigned long request) { return static_cast<CallKind>(request & 0xff); }

/// Counts calls and says which of them is to fail. Calls count from 1, from construction or the
/// last Restart(). Not thread-safe: its owner has the lock.
class CallBook {
 public:
  /// One call more; the -errno that it must give, or 0.
  int Enter(CallKind kind);

  /// The nth call of all, or of one kind, fails with `error` (positive errno), once.
  void FailNth(std::uint64_t n, int error);
  void FailNthOf(CallKind kind, std::uint64_t n, int error);
  /// Forgets counts and failures that have not come.
  void Restart();

  std::uint64_t total() const { return total_; }
  std::uint64_t count(CallKind kind) const { return counts_[static_cast<std::size_t>(kind)]; }
  /// The call that was made to fail last.
  std::optional<CallKind> last_failed() const { return last_failed_; }

 private:
  struct Failure {
    std::optional<CallKind> kind;  ///< none: any
    std::uint64_t n = 0;           ///< 0: no failure is waiting
    int error = 0;
  };

  std::array<std::uint64_t, static_cast<std::size_t>(CallKind::kLast) + 1> counts_{};
  std::uint64_t total_ = 0;
  Failure failure_;
  std::optional<CallKind> last_failed_;
};

}  // namespace kfdcts::thunk
