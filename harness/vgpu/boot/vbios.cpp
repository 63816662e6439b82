#include "harness/vgpu/boot/vbios.h"

#include <cstring>
#include <numeric>
#include <string_view>
#include <type_traits>

#include "harness/vgpu/boot/vbios_layout.h"

namespace kfdcts::vgpu::boot {
namespace {

constexpr std::size_t kImageBytes = 4096;

// Where the parts lie. The driver looks for strings between the string area and the ATOM header, so
// the strings go first.
constexpr std::uint16_t kPciDataAt = 0x080;
constexpr std::uint16_t kStringsAt = 0x0c0;
constexpr std::uint16_t kConfigNameAt = 0x160;
constexpr std::uint16_t kAtomHeaderAt = 0x200;
constexpr std::uint16_t kMasterFunctionsAt = 0x280;
constexpr std::uint16_t kMasterDataAt = 0x380;
constexpr std::uint16_t kAsicInitAt = 0x400;
constexpr std::uint16_t kFirmwareInfoAt = 0x480;
constexpr std::uint16_t kSmuInfoAt = 0x500;
constexpr std::uint16_t kIndirectIoAt = 0x540;
constexpr std::uint16_t kVramInfoAt = 0x580;

class Image {
 public:
  Image() : bytes_(kImageBytes) {}

  template <typename T>
  void Put(std::uint16_t offset, const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::memcpy(bytes_.data() + offset, &value, sizeof(value));
  }

  /// Copies the text with a terminating zero and returns the offset behind it.
  std::uint16_t PutText(std::uint16_t offset, std::string_view text) {
    std::memcpy(bytes_.data() + offset, text.data(), text.size());
    return static_cast<std::uint16_t>(offset + text.size() + 1);
  }

  /// Option ROMs are only valid where all bytes add up to zero.
  std::vector<std::byte> Finish() {
    bytes_.back() = std::byte{0};
    const unsigned sum = std::accumulate(
        bytes_.begin(), bytes_.end(), 0U,
        [](unsigned total, std::byte value) { return total + std::to_integer<unsigned>(value); });
    bytes_.back() = static_cast<std::byte>(0U - sum);
    return std::move(bytes_);
  }

 private:
  std::vector<std::byte> bytes_;
};

template <std::size_t kSize>
void Set(char (&field)[kSize], std::string_view text) {
  std::memcpy(field, text.data(), std::min(text.size(), kSize));
}

template <typename Table>
AtomTableHeader Header(std::uint8_t format, std::uint8_t content) {
  return {static_cast<std::uint16_t>(sizeof(Table)), format, content};
}

void PutRomHeaders(Image& image, const Board& board) {
  RomStart start = {};
  start.signature[0] = 0x55;
  start.signature[1] = 0xaa;
  start.size_in_512_bytes = kImageBytes / 512;
  start.entry = 0xcb;  // retf
  start.pci_data_offset = kPciDataAt;
  start.string_count = 1;
  Set(start.ati_magic, " 761295520");
  start.atom_header_offset = kAtomHeaderAt;
  Set(start.date, "01/01/26 00:00");
  start.strings_offset = kStringsAt;
  image.Put(0, start);

  PciDataStructure pci = {};
  Set(pci.signature, "PCIR");
  pci.vendor_id = 0x1002;
  pci.device_id = board.pci_device_id;
  pci.length = sizeof(pci);
  pci.class_code[1] = 0x80;  // other display controller
  pci.class_code[2] = 0x03;
  pci.image_size_in_512_bytes = kImageBytes / 512;
  pci.code_revision = 1;
  pci.indicator = 0x80;
  image.Put(kPciDataAt, pci);

  // The strings, CR LF, the name.
  const std::uint16_t behind = image.PutText(kStringsAt, board.part_number);
  const std::uint16_t name_at = image.PutText(behind, "\r\n");
  image.PutText(static_cast<std::uint16_t>(name_at - 1), board.name);
  image.PutText(kConfigNameAt, "kfdcts");
}

void PutAtomDirectory(Image& image, const Board& board) {
  AtomRomHeader header = {};
  header.header = Header<AtomRomHeader>(2, 2);
  Set(header.atom_string, "ATOM");
  header.config_filename_offset = kConfigNameAt;
  header.subsystem_vendor_id = 0x1002;
  header.subsystem_id = board.pci_subsystem_id;
  header.master_function_offset = kMasterFunctionsAt;
  header.master_data_table_offset = kMasterDataAt;
  image.Put(kAtomHeaderAt, header);

  AtomMasterFunctionTable functions = {};
  functions.header = Header<AtomMasterFunctionTable>(2, 1);
  functions.offset[kAtomFunctionAsicInit] = kAsicInitAt;
  image.Put(kMasterFunctionsAt, functions);

  AtomMasterDataTable data = {};
  data.header = Header<AtomMasterDataTable>(2, 1);
  data.offset[kAtomDataFirmwareInfo] = kFirmwareInfoAt;
  data.offset[kAtomDataSmuInfo] = kSmuInfoAt;
  data.offset[kAtomDataIndirectIoAccess] = kIndirectIoAt;
  data.offset[kAtomDataVramInfo] = kVramInfoAt;
  image.Put(kMasterDataAt, data);
}

void PutAtomTables(Image& image, const Board& board) {
  AtomEmptyFunction asic_init = {};
  asic_init.header = Header<AtomEmptyFunction>(2, 1);
  asic_init.parameter_bytes = 8;
  asic_init.end_of_table = kAtomOpEndOfTable;
  image.Put(kAsicInitAt, asic_init);

  AtomFirmwareInfo firmware = {};
  firmware.header = Header<AtomFirmwareInfo>(3, 1);
  firmware.firmware_revision = 0x01000000;
  firmware.bootup_sclk_in10khz = board.engine_clock_10khz;
  firmware.bootup_mclk_in10khz = board.memory_clock_10khz;
  firmware.bios_scratch_reg_startaddr = board.bios_scratch_dword;
  image.Put(kFirmwareInfoAt, firmware);

  AtomSmuInfo smu = {};
  smu.header = Header<AtomSmuInfo>(3, 1);
  smu.core_refclk_10khz = board.reference_clock_10khz;
  image.Put(kSmuInfoAt, smu);

  // The driver indexes the methods that follow this header; the zero behind it says that there is
  // none.
  image.Put(kIndirectIoAt, AtomTableHeader{8, 1, 1});

  AtomVramInfo vram = {};
  vram.header = Header<AtomVramInfo>(2, 3);
  vram.vram_module_num = 1;
  vram.module.vram_module_size = sizeof(AtomVramModule);
  vram.module.memory_type = board.vram_type;
  vram.module.channel_num = board.vram_channels;
  vram.module.channel_width = board.vram_channel_width_log2;
  image.Put(kVramInfoAt, vram);
}

}  // namespace

std::vector<std::byte> MakeVbios(const Board& board) {
  Image image;
  PutRomHeaders(image, board);
  PutAtomDirectory(image, board);
  PutAtomTables(image, board);
  return image.Finish();
}

}  // namespace kfdcts::vgpu::boot
