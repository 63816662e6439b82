#pragma once

#include <cstddef>
#include <vector>

#include "harness/vgpu/boot/board.h"

namespace kfdcts::vgpu::boot {

/// The video BIOS of `board`: a PCI option ROM with the ATOM tables that the driver reads, its
/// bytes adding up to zero.
std::vector<std::byte> MakeVbios(const Board& board);

}  // namespace kfdcts::vgpu::boot
