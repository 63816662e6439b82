#pragma once

#include <cstdint>
#include <functional>
#include <ostream>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "harness/vgpu/asic/chip.h"
#include "harness/vgpu/core/diagnostics.h"

namespace kfdcts::vgpu {

/// The registers behind BAR5 and, beyond it, the SMN space reached through index/data pairs. A
/// register without a hook reads back what was written. Offsets are in bytes and multiples of four;
/// an unaligned one is rounded down. One beyond BAR5 reads zero, and a write to it is dropped.
class RegisterFile {
 public:
  static constexpr std::uint32_t kMmioBytes = 512 * 1024;

  using ReadHook = std::function<std::uint32_t(std::uint32_t offset)>;
  using WriteHook = std::function<void(std::uint32_t offset, std::uint32_t value)>;

  explicit RegisterFile(Diagnostics& diagnostics);

  /// As the driver (or a packet that writes registers) sees it: hooks run, unknown registers are
  /// counted. Hooks may read and write other registers; an index/data pair that points at itself
  /// ends after a few rounds.
  std::uint32_t Read(std::uint32_t offset);
  void Write(std::uint32_t offset, std::uint32_t value);

  /// As the device itself sees it: no hooks, no counting.
  std::uint32_t Get(std::uint32_t offset) const;
  void Set(std::uint32_t offset, std::uint32_t value);
  std::uint64_t Get64(std::uint32_t low_offset) const;

  /// Hooks for `count` registers from `first`, `stride` bytes apart. The latest hook on a register
  /// wins. A write hook replaces the store: it calls Set itself where the value shall be kept.
  void OnRead(std::uint32_t first, std::uint32_t count, ReadHook hook, std::uint32_t stride = 4);
  void OnWrite(std::uint32_t first, std::uint32_t count, WriteHook hook, std::uint32_t stride = 4);

  /// Names registers (from the kernel's asic_reg headers). Those without a name are counted as
  /// unknown when touched.
  void SetName(std::uint32_t offset, std::string name);
  void SetNames(std::span<const RegisterName> names);
  const char* Name(std::uint32_t offset) const;  ///< Null where it has none.

  /// SMN registers, through PCIE_INDEX2/PCIE_DATA2. One that was never set is zero.
  std::uint32_t GetSmn(std::uint32_t address) const;
  void SetSmn(std::uint32_t address, std::uint32_t value);

  /// All registers to zero; hooks and names stay.
  void Clear();

  /// Writes a line for each Read and Write ("W 0a28c VM_INVALIDATE_ENG0_REQ = 00010001") to `log`,
  /// repeated ones folded into a count. Null ends it. `log` must outlive the tracing.
  void Trace(std::ostream* log);

 private:
  struct TraceLine {
    char direction;
    std::uint32_t offset;
    std::uint32_t value;

    friend bool operator==(const TraceLine&, const TraceLine&) = default;
  };

  void CountUnknown(std::uint32_t offset, const char* direction);
  void Log(TraceLine line);
  void EndFold();

  Diagnostics& diagnostics_;
  std::vector<std::uint32_t> values_;
  std::vector<std::uint16_t> read_hook_of_,
      write_hook_of_;  // index into the hook lists, 0 for none
  std::vector<ReadHook> read_hooks_;
  std::vector<WriteHook> write_hooks_;
  std::unordered_map<std::uint32_t, std::string> names_;
  std::unordered_map<std::uint32_t, std::uint32_t> smn_;
  unsigned depth_ = 0;  // of hooks that access registers

  std::ostream* log_ = nullptr;
  TraceLine last_line_{};
  std::uint64_t folded_ = 0;
};

}  // namespace kfdcts::vgpu
