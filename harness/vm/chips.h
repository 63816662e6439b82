#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kfdcts::vm {

/// What the launcher must know of a chip that vgpu can be.
struct ChipSpec {
  std::string_view name;
  std::string_view vbios;  ///< File below share/kfdcts/vbios.
  /// amdgpu.ip_block_mask without and with the display core in the kernel: the display is a block
  /// of its own then, and moves those behind it. Left out are display and SMU, which the virtual
  /// GPU has not.
  std::string_view ip_blocks_without_display;
  std::string_view ip_blocks_with_display;
};

std::span<const ChipSpec> KnownChips();

/// Null where it is unknown.
const ChipSpec* FindChip(std::string_view name);

}  // namespace kfdcts::vm
