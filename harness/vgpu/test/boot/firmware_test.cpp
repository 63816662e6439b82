#include "harness/vgpu/boot/firmware.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>

namespace kfdcts::vgpu::boot {
namespace {

using testing::UnorderedElementsAre;

template <typename Header>
Header HeaderOf(const FirmwareFile& file) {
  Header header;
  EXPECT_GE(file.content.size(), sizeof(Header));
  std::memcpy(&header, file.content.data(), sizeof(Header));
  return header;
}

FirmwareFile Find(const std::string& name) {
  for (FirmwareFile& file : MakeFirmware(kVega10Board)) {
    if (file.name == name) {
      return file;
    }
  }
  ADD_FAILURE() << "no file " << name;
  return {};
}

TEST(Firmware, AllFilesThatTheDriverAsksFor) {
  std::vector<std::string> names;
  for (const FirmwareFile& file : MakeFirmware(kVega10Board)) {
    names.push_back(file.name);
  }
  EXPECT_THAT(names, UnorderedElementsAre("vega10_gpu_info.bin", "vega10_pfp.bin", "vega10_me.bin",
                                          "vega10_ce.bin", "vega10_mec.bin", "vega10_mec2.bin",
                                          "vega10_rlc.bin", "vega10_sdma.bin", "vega10_sdma1.bin"));
}

TEST(Firmware, EveryFileHasItsSizeInItsHeaderAndItsPayloadInside) {
  for (const FirmwareFile& file : MakeFirmware(kVega10Board)) {
    SCOPED_TRACE(file.name);
    const auto header = HeaderOf<CommonFirmwareHeader>(file);
    EXPECT_EQ(header.size_bytes, file.content.size());
    EXPECT_GT(header.ucode_size_bytes, 0U);
    EXPECT_EQ(header.ucode_size_bytes % 4, 0U);
    EXPECT_EQ(header.ucode_array_offset_bytes + header.ucode_size_bytes, file.content.size());
  }
}

TEST(Firmware, GpuInfoIsTheBoardsShaderArray) {
  const FirmwareFile file = Find("vega10_gpu_info.bin");
  const auto header = HeaderOf<GpuInfoFirmwareHeader>(file);
  EXPECT_EQ(header.version_major, 1);
  ASSERT_EQ(header.common.ucode_size_bytes, sizeof(GpuInfoPayload));
  GpuInfoPayload payload;
  std::memcpy(&payload, file.content.data() + header.common.ucode_array_offset_bytes,
              sizeof(payload));
  EXPECT_EQ(payload.gc_num_se * payload.gc_num_sh_per_se * payload.gc_num_cu_per_sh, 64U);
  EXPECT_EQ(payload.gc_wave_size, 64U);
}

TEST(Firmware, RlcHasTheSecondHeaderVersion) {
  EXPECT_EQ(HeaderOf<CommonFirmwareHeader>(Find("vega10_rlc.bin")).header_version_major, 2);
}

TEST(Firmware, SdmaVersionKeepsThePageQueueOff) {
  EXPECT_LT(HeaderOf<CommonFirmwareHeader>(Find("vega10_sdma.bin")).ucode_version, 430U);
}

}  // namespace
}  // namespace kfdcts::vgpu::boot
