#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kfdcts::vgpu {

/// What the sanitizer holds against driver and programs.
enum class FindingKind : std::uint8_t {
  kStaleTranslation,    ///< A cached translation was used that differs from the page table.
  kClearedTranslation,  ///< The same where the page table has no page there any more.
  kReadOnlyWrite,       ///< A write to a page whose entry has no write bit.
  kFenceTwice,          ///< A fence that was not armed again since it was signalled.
  kInterruptTwice,      ///< A trap of the driver's ring with no fence since the last one.
  kDeadDoorbell,        ///< A doorbell of a queue that is gone while its process has others mapped.
};
inline constexpr std::size_t kFindingKinds =
    static_cast<std::size_t>(FindingKind::kDeadDoorbell) + 1;

/// "stale-translation" and so on: the director's names.
std::string_view NameOf(FindingKind kind);

/// Something done wrongly, as often as it was seen; what is told of it is of the first time.
struct Finding {
  FindingKind kind;
  std::uint8_t vmid = 0;
  std::uint16_t pasid = 0;    ///< 0 where the VMID has none.
  std::uint64_t address = 0;  ///< In the address space of `vmid`; of a doorbell: its byte offset.
  std::string detail = {};    ///< For a reader.
  std::string engine = {};    ///< The queue that was executed then, "sdma0.rlc1"; may be empty.
  std::uint64_t count = 1;
};

/// The findings since they were cleared last. Those of one kind, process and queue are one.
/// Bounded. Not thread-safe: belongs to the device and is used under its lock.
class Findings {
 public:
  static constexpr std::size_t kMax = 256;  ///< Kept apart; the rest is only counted.

  /// Without an engine: who knows it calls Attribute afterwards.
  void Add(Finding finding);

  bool unattributed() const { return !fresh_.empty(); }
  /// Names the queue whose execution led to what was added since the last call.
  void Attribute(const std::string& engine);

  /// Attributes what is left to nobody.
  const std::vector<Finding>& All();
  std::uint64_t beyond() const { return beyond_; }
  void Clear();

 private:
  /// Into the list, merged with what is there.
  void Put(std::vector<Finding>& list, Finding finding);

  std::vector<Finding> all_;
  std::vector<Finding> fresh_;  // those that Attribute names
  std::uint64_t beyond_ = 0;
};

}  // namespace kfdcts::vgpu
