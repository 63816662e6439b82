#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <string>

#include "harness/probes/syscall_tracer.h"

namespace kfdcts::harness {

/// The tracer's memory: what was called, and what to do with the next call. Allocates nothing while
/// it is asked by the tracer's thread, since the traced thread may hold the heap's lock.
class SyscallLedger {
 public:
  /// A call as the kernel reports it.
  struct Call {
    int number = 0;
    std::uint64_t request = 0;  ///< The second argument; of ioctl alone.

    /// (type << 8) | nr of the request.
    std::uint16_t IoctlCode() const { return static_cast<std::uint16_t>(request & 0xFFFFU); }
  };

  /// What to do with a call. With neither an error nor a patch: let it pass.
  struct Verdict {
    int error = 0;         ///< Not made; gives this errno.
    bool falsify = false;  ///< Made by the tracer, then patched:
    std::size_t offset = 0;
    std::size_t size = 0;
    std::array<std::uint8_t, 64> bytes{};
    bool indirect = false;
    std::size_t pointer_offset = 0;
  };

  /// Records the call and decides.
  Verdict Take(const Call& call);

  std::uint64_t Count(const SyscallMatch& match) const;
  std::string Describe() const;
  std::uint64_t Interventions() const;
  void Reset();

  /// nth 0: every one. Throws std::length_error where there is no room or the patch is too long.
  void Add(const SyscallMatch& match, std::uint64_t nth, int error, const Patch* patch);

 private:
  static constexpr std::size_t kInterventions = 32;
  static constexpr std::size_t kKinds = 256;
  static constexpr std::size_t kLog = 1024;

  struct Tally {
    Call call;
    std::uint64_t count = 0;
  };
  struct Intervention {
    int number = 0;
    bool any_ioctl = true;
    std::uint16_t ioctl_code = 0;
    std::uint64_t nth = 0;
    std::uint64_t seen = 0;
    Verdict verdict;
  };

  void Record(const Call& call);

  mutable std::mutex mutex_;
  std::array<Tally, kKinds> tallies_{};
  std::size_t kinds_ = 0;
  std::array<Call, kLog> log_{};
  std::size_t logged_ = 0;
  std::array<Intervention, kInterventions> interventions_{};
  std::size_t armed_ = 0;
  std::uint64_t struck_ = 0;
};

}  // namespace kfdcts::harness
