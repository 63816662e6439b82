#include "harness/vgpu/boot/firmware.h"

#include <cstring>
#include <span>
#include <type_traits>
#include <utility>

namespace kfdcts::vgpu::boot {
namespace {

constexpr std::size_t kHeaderAlignment = 256;
constexpr std::size_t kEmptyPayloadBytes = 64;

/// Completes the common header, which every kind of header begins with, and puts header and payload
/// together.
template <typename Header>
std::vector<std::byte> Assemble(Header header, std::uint16_t major, std::uint32_t version,
                                std::span<const std::byte> payload) {
  static_assert(std::is_trivially_copyable_v<Header>);
  const std::size_t header_bytes =
      (sizeof(Header) + kHeaderAlignment - 1) / kHeaderAlignment * kHeaderAlignment;
  CommonFirmwareHeader& common = header.common;
  common.size_bytes = static_cast<std::uint32_t>(header_bytes + payload.size());
  common.header_size_bytes = sizeof(Header);
  common.header_version_major = major;
  common.ip_version_major = 9;
  common.ucode_version = version;
  common.ucode_size_bytes = static_cast<std::uint32_t>(payload.size());
  common.ucode_array_offset_bytes = static_cast<std::uint32_t>(header_bytes);

  std::vector<std::byte> file(header_bytes + payload.size());
  std::memcpy(file.data(), &header, sizeof(header));
  std::memcpy(file.data() + header_bytes, payload.data(), payload.size());
  return file;
}

}  // namespace

std::vector<FirmwareFile> MakeFirmware(const Board& board) {
  const std::vector<std::byte> empty(kEmptyPayloadBytes);
  std::vector<FirmwareFile> files;
  const auto add = [&](const char* part, std::vector<std::byte> content) {
    files.push_back({std::string(board.chip) + "_" + part + ".bin", std::move(content)});
  };

  GpuInfoFirmwareHeader gpu_info = {};
  gpu_info.version_major = 1;
  add("gpu_info", Assemble(gpu_info, 1, 1, std::as_bytes(std::span(&board.gpu_info, 1))));

  GfxFirmwareHeader gfx = {};
  gfx.ucode_feature_version = board.cp_feature;
  for (const char* part : {"pfp", "me", "ce", "mec", "mec2"}) {
    add(part, Assemble(gfx, 1, board.cp_version, empty));
  }

  RlcFirmwareHeader rlc = {};
  rlc.ucode_feature_version = 1;
  add("rlc", Assemble(rlc, 2, board.rlc_version, empty));

  SdmaFirmwareHeader sdma = {};
  sdma.ucode_feature_version = board.sdma_feature;
  for (const char* part : {"sdma", "sdma1"}) {
    add(part, Assemble(sdma, 1, board.sdma_version, empty));
  }
  return files;
}

}  // namespace kfdcts::vgpu::boot
