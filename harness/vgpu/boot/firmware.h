#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/vgpu/boot/board.h"

namespace kfdcts::vgpu::boot {

struct FirmwareFile {
  std::string name;  ///< As the driver asks for it, below /lib/firmware/amdgpu: "vega10_mec.bin".
  std::vector<std::byte> content;
};

/// Every firmware file that the driver requests for `board` with direct loading: valid headers, no
/// code. The payload is a few zero words, because the driver writes each word to a register.
std::vector<FirmwareFile> MakeFirmware(const Board& board);

}  // namespace kfdcts::vgpu::boot
