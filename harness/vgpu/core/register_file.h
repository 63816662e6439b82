#pragma once

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "harness/vgpu/core/diagnostics.h"

namespace kfdcts::vgpu {

/// The registers behind BAR5 and, beyond it, the SMN space reached through index/data pairs. A register without a hook
/// reads back what was written. Offsets are in bytes and multiples of four; an unaligned one is rounded down.
class RegisterFile {
 public:
  static constexpr std::uint32_t kMmioBytes = 512 * 1024;

  using ReadHook = std::function<std::uint32_t(std::uint32_t offset)>;
  using WriteHook = std::function<void(std::uint32_t offset, std::uint32_t value)>;

  explicit RegisterFile(Diagnostics& diagnostics);

  /// As the driver (or a packet that writes registers) sees it: hooks run, unknown registers are counted.
  std::uint32_t Read(std::uint32_t offset);
  void Write(std::uint32_t offset, std::uint32_t value);

  /// As the device itself sees it: no hooks, no counting.
  std::uint32_t Get(std::uint32_t offset) const;
  void Set(std::uint32_t offset, std::uint32_t value);
  std::uint64_t Get64(std::uint32_t low_offset) const;

  /// Hooks for `count` registers from `first`, `stride` bytes apart. The latest hook on a register wins. A write hook
  /// replaces the store: it calls Set itself where the value shall be kept.
  void OnRead(std::uint32_t first, std::uint32_t count, ReadHook hook, std::uint32_t stride = 4);
  void OnWrite(std::uint32_t first, std::uint32_t count, WriteHook hook, std::uint32_t stride = 4);

  /// Names a register (from the kernel's asic_reg headers). Those without a name are counted as unknown when touched.
  void SetName(std::uint32_t offset, const char* name);
  const char* Name(std::uint32_t offset) const;  ///< Null where it has none.

  /// SMN registers, through PCIE_INDEX2/PCIE_DATA2.
  std::uint32_t GetSmn(std::uint32_t address) const;
  void SetSmn(std::uint32_t address, std::uint32_t value);

  /// All registers to zero; hooks and names stay.
  void Clear();

 private:
  Diagnostics& diagnostics_;
  std::vector<std::uint32_t> values_;
  std::vector<std::uint16_t> read_hook_of_, write_hook_of_;  // index into the hook lists, 0 for none
  std::vector<ReadHook> read_hooks_;
  std::vector<WriteHook> write_hooks_;
  std::unordered_map<std::uint32_t, const char*> names_;
  std::unordered_map<std::uint32_t, std::uint32_t> smn_;
};

}  // namespace kfdcts::vgpu
