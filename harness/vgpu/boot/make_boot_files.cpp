/// make_boot_files DIR: writes DIR/vbios/<chip>.rom and DIR/firmware/amdgpu/<chip>_*.bin for every
/// board.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <span>
#include <system_error>

#include "harness/vgpu/boot/board.h"
#include "harness/vgpu/boot/firmware.h"
#include "harness/vgpu/boot/vbios.h"

namespace {

using kfdcts::vgpu::boot::Board;
using kfdcts::vgpu::boot::FirmwareFile;

bool WriteFile(const std::filesystem::path& path, std::span<const std::byte> content) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char*>(content.data()),
             static_cast<std::streamsize>(content.size()));
  file.close();
  if (!file) {
    std::fprintf(stderr, "make_boot_files: cannot write %s\n", path.c_str());
    return false;
  }
  return true;
}

bool WriteBoard(const Board& board, const std::filesystem::path& root) {
  const std::filesystem::path rom = root / "vbios" / (std::string(board.chip) + ".rom");
  bool ok = WriteFile(rom, kfdcts::vgpu::boot::MakeVbios(board));
  for (const FirmwareFile& file : kfdcts::vgpu::boot::MakeFirmware(board)) {
    ok = WriteFile(root / "firmware" / "amdgpu" / file.name, file.content) && ok;
  }
  return ok;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: make_boot_files DIR\n");
    return 2;
  }
  const std::filesystem::path root = argv[1];
  for (const auto& folder : {root / "vbios", root / "firmware" / "amdgpu"}) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) {
      std::fprintf(stderr, "make_boot_files: %s: %s\n", folder.c_str(), error.message().c_str());
      return 2;
    }
  }
  return WriteBoard(kfdcts::vgpu::boot::kVega10Board, root) ? 0 : 1;
}
