#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <string_view>

#include "harness/vgpu/core/findings.h"

namespace kfdcts::vgpu {

/// What the device saw and did not understand, or saw done wrongly. Counted by kind and subject,
/// reported at exit and by the director. Not thread-safe: belongs to the device and is used under
/// its lock.
class Diagnostics {
 public:
  enum class Kind {
    kUnknownRegister,      ///< An access to a register that the chip's table does not name.
    kUnknownPacket,        ///< A packet opcode (or sub-opcode) that no engine implements.
    kMalformedPacket,      ///< Truncated, or a field out of range.
    kMalformedRing,        ///< Ring pointers or sizes that cannot be.
    kUnclaimedDoorbell,    ///< A doorbell that no enabled queue claims.
    kOutOfRange,           ///< An access outside VRAM or guest memory that was refused.
    kStaleTranslation,     ///< A cached translation used after its page-table entry changed: a
                           ///< missing flush.
    kReadOnlyWrite,        ///< A write through a page-table entry without the write bit.
    kUnsupportedDispatch,  ///< Work for shader cores, of which there are none: refused, never
                           ///< completed.
    kVmFault,              ///< Every VM fault, retry or not.
  };
  static constexpr std::size_t kKinds = static_cast<std::size_t>(Kind::kVmFault) + 1;

  /// Subjects kept apart for each kind. The rest counts as kOthers, so that a guest cannot make the
  /// device grow without bound.
  static constexpr std::size_t kMaxSubjects = 1024;
  static constexpr std::string_view kOthers = "others";

  /// Counts one event. `subject` names it for a reader ("PM4 0x5a", "reg 0x12345 read").
  void Count(Kind kind, std::string_view subject);
  std::uint64_t Total(Kind kind) const;
  std::uint64_t Of(Kind kind, std::string_view subject) const;

  /// One line a kind and subject with its count, sorted; nothing for what never happened.
  void Report(std::ostream& out) const;

  static std::string_view Name(Kind kind);

  /// What of it is somebody's fault, for the test that runs.
  Findings findings;

 private:
  std::array<std::map<std::string, std::uint64_t, std::less<>>, kKinds> counts_;
  std::array<std::uint64_t, kKinds> totals_{};
};

}  // namespace kfdcts::vgpu
