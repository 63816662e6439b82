#pragma once

#include <bit>
#include <cstdint>

/// Layout of the video BIOS (facts from the kernel's atomfirmware.h and atom.h): a PCI option ROM
/// that holds the ATOM tables. Offsets inside the image are 16 bits wide and count from its first
/// byte.
namespace kfdcts::vgpu::boot {

static_assert(std::endian::native == std::endian::little, "the image is little-endian");

#pragma pack(push, 1)

/// The first bytes of the image. What the driver does not read is zero.
struct RomStart {
  std::uint8_t signature[2];  ///< 55 AA
  std::uint8_t size_in_512_bytes;
  std::uint8_t entry;  ///< x86 far return: a BIOS that runs the ROM gets control back at once.
  std::uint8_t reserved0[0x14];
  std::uint16_t pci_data_offset;  ///< 0x18
  std::uint8_t reserved1[0x15];
  std::uint8_t string_count;  ///< 0x2f
  char ati_magic[10];         ///< 0x30
  std::uint8_t reserved2[0x0e];
  std::uint16_t atom_header_offset;  ///< 0x48
  std::uint8_t reserved3[0x06];
  char date[14];  ///< 0x50 "MM/DD/YY hh:mm"
  std::uint8_t reserved4[0x10];
  std::uint16_t strings_offset;  ///< 0x6e
};
static_assert(sizeof(RomStart) == 0x70);

/// PCI firmware specification 3.0, "PCI data structure".
struct PciDataStructure {
  char signature[4];  ///< PCIR
  std::uint16_t vendor_id;
  std::uint16_t device_id;
  std::uint16_t device_list;
  std::uint16_t length;
  std::uint8_t revision;
  std::uint8_t class_code[3];
  std::uint16_t image_size_in_512_bytes;
  std::uint16_t code_revision;
  std::uint8_t code_type;  ///< 0: x86
  std::uint8_t indicator;  ///< Bit 7: last image.
  std::uint16_t max_runtime_size;
};
static_assert(sizeof(PciDataStructure) == 0x18);

struct AtomTableHeader {
  std::uint16_t structure_size;
  std::uint8_t format_revision;
  std::uint8_t content_revision;
};

struct AtomRomHeader {  // atom_rom_header_v2_2
  AtomTableHeader header;
  char atom_string[4];  ///< ATOM
  std::uint16_t bios_segment_address;
  std::uint16_t protected_mode_offset;
  std::uint16_t config_filename_offset;
  std::uint16_t crc_block_offset;
  std::uint16_t bootup_message_offset;
  std::uint16_t int10_offset;
  std::uint16_t pci_bus_dev_init_code;
  std::uint16_t io_base_address;
  std::uint16_t subsystem_vendor_id;
  std::uint16_t subsystem_id;
  std::uint16_t pci_info_offset;
  std::uint16_t master_function_offset;
  std::uint16_t master_data_table_offset;
  std::uint16_t reserved;
  std::uint32_t psp_directory_offset;
};
static_assert(sizeof(AtomRomHeader) == 0x28);

inline constexpr unsigned kAtomFunctions = 81;
inline constexpr unsigned kAtomFunctionAsicInit = 0;

struct AtomMasterFunctionTable {
  AtomTableHeader header;
  std::uint16_t offset[kAtomFunctions];
};

inline constexpr unsigned kAtomDataTables = 35;
inline constexpr unsigned kAtomDataFirmwareInfo = 4;
inline constexpr unsigned kAtomDataSmuInfo = 8;
inline constexpr unsigned kAtomDataIndirectIoAccess = 23;
inline constexpr unsigned kAtomDataVramInfo = 28;

struct AtomMasterDataTable {
  AtomTableHeader header;
  std::uint16_t offset[kAtomDataTables];
};

/// A command table of one instruction: end of table. The driver runs ASIC_Init after a reset.
struct AtomEmptyFunction {
  AtomTableHeader header;
  std::uint8_t workspace_bytes;
  std::uint8_t parameter_bytes;
  std::uint8_t end_of_table;
  std::uint8_t padding;
};
inline constexpr std::uint8_t kAtomOpEndOfTable = 91;

struct AtomFirmwareInfo {  // atom_firmware_info_v3_1
  AtomTableHeader header;
  std::uint32_t firmware_revision;
  std::uint32_t bootup_sclk_in10khz;
  std::uint32_t bootup_mclk_in10khz;
  std::uint32_t firmware_capability;
  std::uint32_t main_call_parser_entry;
  std::uint32_t bios_scratch_reg_startaddr;  ///< Dword offset of BIOS_SCRATCH_0.
  std::uint16_t bootup_vddc_mv;
  std::uint16_t bootup_vddci_mv;
  std::uint16_t bootup_mvddc_mv;
  std::uint16_t bootup_vddgfx_mv;
  std::uint8_t mem_module_id;
  std::uint8_t cooling_solution_id;
  std::uint8_t reserved1[2];
  std::uint32_t mc_base_address_high;
  std::uint32_t mc_base_address_low;
  std::uint32_t reserved2[6];
};
static_assert(sizeof(AtomFirmwareInfo) == 0x48);

struct AtomSmuInfo {  // atom_smu_info_v3_1
  AtomTableHeader header;
  std::uint8_t smuip_min_ver;
  std::uint8_t smuip_max_ver;
  std::uint8_t smu_rsd1;
  std::uint8_t gpuclk_ss_mode;
  std::uint16_t sclk_ss_percentage;
  std::uint16_t sclk_ss_rate_10hz;
  std::uint16_t gpuclk_ss_percentage;
  std::uint16_t gpuclk_ss_rate_10hz;
  std::uint32_t core_refclk_10khz;
  std::uint8_t gpio[8];
};
static_assert(sizeof(AtomSmuInfo) == 0x1c);

struct AtomVramModule {  // atom_vram_module_v9
  std::uint32_t memory_size;
  std::uint32_t channel_enable;
  std::uint32_t max_mem_clk;
  std::uint16_t reserved[3];
  std::uint16_t mem_voltage;
  std::uint16_t vram_module_size;
  std::uint8_t ext_memory_id;
  std::uint8_t memory_type;  ///< enum atom_dgpu_vram_type
  std::uint8_t channel_num;
  std::uint8_t channel_width;  ///< log2 of the bits of a channel.
  std::uint8_t density;
  std::uint8_t tuningset_id;
  std::uint8_t vendor_rev_id;
  std::uint8_t refresh_rate;
  std::uint8_t hbm_vendor_rev_id;
  std::uint8_t vram_rsd2;
  char dram_part_number[20];
};

struct AtomVramInfo {  // atom_vram_info_header_v2_3 with one module
  AtomTableHeader header;
  std::uint16_t sub_table_offset[8];
  std::uint8_t vram_module_num;
  std::uint8_t umcip_min_ver;
  std::uint8_t umcip_max_ver;
  std::uint8_t mc_phy_tile_num;
  AtomVramModule module;
};
static_assert(sizeof(AtomVramInfo) == 0x18 + 52);

#pragma pack(pop)

}  // namespace kfdcts::vgpu::boot
