#include "harness/vgpu/core/common_registers.h"

#include <algorithm>
#include <cstring>

namespace kfdcts::vgpu {
namespace {

constexpr std::uint32_t kAllOnes = 0xffff'ffff;
constexpr std::uint32_t kMmIndexVram = 1U << 31;
constexpr std::uint32_t kAsicInitComplete = 1U << 9;  // ATOM_S7_ASIC_INIT_COMPLETE_MASK
constexpr std::uint32_t kBootLoaderDone = 1U << 31;   // MP0_SMN_C2PMSG_33
constexpr std::uint32_t kSafeModeCommand = 1U << 0;   // RLC_SAFE_MODE
constexpr std::uint32_t kAgpDisabledBottom = 0xff'ffff;
constexpr unsigned kMmhubVmidShift = 16;  // in ATC_VMID_PASID_MAPPING_UPDATE_STATUS

}  // namespace

CommonRegisters::CommonRegisters(const Chip& chip, RegisterFile& registers, Vram& vram, Host& host,
                                 Diagnostics& diagnostics, std::span<const std::byte> vbios)
    : chip_(chip),
      registers_(registers),
      vram_(vram),
      host_(host),
      diagnostics_(diagnostics),
      vbios_(vbios) {
  registers_.SetNames(chip.names);
  registers_.SetNames(chip.dump_names);
  InstallMemory();
  InstallIndexPairs();
  InstallPasidMapping();
  InstallRlc();
  InstallHdp();
  Reset();
}

void CommonRegisters::Reset() {
  registers_.Set(chip_.bios_scratch_0 + 7 * 4, kAsicInitComplete);
  registers_.Set(chip_.mp0_c2pmsg_33, kBootLoaderDone);
  for (const auto* hub : {&chip_.gfx_hub, &chip_.mm_hub}) {
    // No AGP window before the driver opens one: bottom above top.
    registers_.Set(hub->agp_bot, kAgpDisabledBottom);
    registers_.Set(hub->agp_top, 0);
  }
}

void CommonRegisters::InstallMemory() {
  const auto read_only = [](std::uint32_t, std::uint32_t) {};
  const auto mebibytes = static_cast<std::uint32_t>(vram_.bytes() >> 20);
  registers_.OnRead(chip_.config_memsize, 1, [mebibytes](std::uint32_t) { return mebibytes; });
  registers_.OnWrite(chip_.config_memsize, 1, read_only);

  const auto base = static_cast<std::uint32_t>(chip_.fb_base >> 24);
  const auto top = static_cast<std::uint32_t>((chip_.fb_base + vram_.bytes() - 1) >> 24);
  for (const auto* hub : {&chip_.gfx_hub, &chip_.mm_hub}) {
    registers_.OnRead(hub->fb_location_base, 1, [base](std::uint32_t) { return base; });
    registers_.OnRead(hub->fb_location_top, 1, [top](std::uint32_t) { return top; });
    registers_.OnWrite(hub->fb_location_base, 1, read_only);
    registers_.OnWrite(hub->fb_location_top, 1, read_only);
  }
}

void CommonRegisters::InstallIndexPairs() {
  registers_.OnRead(chip_.mm_data, 1, [this](std::uint32_t) { return ReadMmData(); });
  registers_.OnWrite(chip_.mm_data, 1,
                     [this](std::uint32_t, std::uint32_t value) { WriteMmData(value); });

  struct Pair {
    std::uint32_t index, data;
  };
  for (const auto& pair :
       {Pair{chip_.pcie_index, chip_.pcie_data}, Pair{chip_.pcie_index2, chip_.pcie_data2}}) {
    registers_.OnRead(pair.data, 1, [this, pair](std::uint32_t) {
      return registers_.GetSmn(registers_.Get(pair.index));
    });
    registers_.OnWrite(pair.data, 1, [this, pair](std::uint32_t, std::uint32_t value) {
      registers_.SetSmn(registers_.Get(pair.index), value);
    });
  }
  registers_.OnRead(chip_.rom_data, 1, [this](std::uint32_t) { return ReadRomData(); });
}

std::byte* CommonRegisters::IndexedVram() {
  const auto low = registers_.Get(chip_.mm_index) & ~kMmIndexVram & ~3U;
  const auto offset = std::uint64_t{registers_.Get(chip_.mm_index_hi)} << 31 | low;
  std::byte* memory = vram_.At(offset, 4);
  if (memory == nullptr) {
    diagnostics_.Count(Diagnostics::Kind::kOutOfRange, "MM_INDEX outside VRAM");
  }
  return memory;
}

std::uint32_t CommonRegisters::ReadMmData() {
  const auto index = registers_.Get(chip_.mm_index);
  if ((index & kMmIndexVram) == 0) return registers_.Read(index);
  std::uint32_t value = kAllOnes;
  if (const std::byte* memory = IndexedVram()) std::memcpy(&value, memory, sizeof value);
  return value;
}

void CommonRegisters::WriteMmData(std::uint32_t value) {
  const auto index = registers_.Get(chip_.mm_index);
  if ((index & kMmIndexVram) == 0) {
    registers_.Write(index, value);
  } else if (std::byte* memory = IndexedVram()) {
    std::memcpy(memory, &value, sizeof value);
  }
}

// Each read advances, so that the driver reads the image with one index write. Behind its end the
// flash is empty.
std::uint32_t CommonRegisters::ReadRomData() {
  const auto index = registers_.Get(chip_.rom_index);
  registers_.Set(chip_.rom_index, index + 4);
  std::uint32_t value = kAllOnes;
  if (index < vbios_.size()) {
    const auto rest = vbios_.subspan(index);
    std::memcpy(&value, rest.data(), std::min(rest.size(), sizeof value));
  }
  return value;
}

// The driver waits for a mapping's bit in the status, and clears it by writing it.
void CommonRegisters::InstallPasidMapping() {
  const auto status = chip_.atc_pasid_mapping_update_status;
  const auto acknowledge = [this, status](std::uint32_t first, unsigned shift) {
    registers_.OnWrite(first, kVmids, [=, this](std::uint32_t offset, std::uint32_t value) {
      registers_.Set(offset, value);
      const auto vmid = (offset - first) / 4;
      registers_.Set(status, registers_.Get(status) | 1U << (vmid + shift));
    });
  };
  acknowledge(chip_.atc_vmid0_pasid_mapping, 0);
  acknowledge(chip_.atc_vmid16_pasid_mapping, kMmhubVmidShift);
  registers_.OnWrite(status, 1, [this](std::uint32_t offset, std::uint32_t value) {
    registers_.Set(offset, registers_.Get(offset) & ~value);
  });
}

void CommonRegisters::InstallRlc() {
  registers_.OnWrite(
      chip_.rlc_capture_gpu_clock_count, 1, [this](std::uint32_t offset, std::uint32_t value) {
        const auto clock = host_.NowNs() / 10;  // 100 MHz
        registers_.Set(offset, value);
        registers_.Set(chip_.rlc_gpu_clock_count_lsb, static_cast<std::uint32_t>(clock));
        registers_.Set(chip_.rlc_gpu_clock_count_msb, static_cast<std::uint32_t>(clock >> 32));
      });
  // The command is done at once; the driver waits for its bit to go.
  registers_.OnWrite(chip_.rlc_safe_mode, 1, [this](std::uint32_t offset, std::uint32_t value) {
    registers_.Set(offset, value & ~kSafeModeCommand);
  });
}

// There is no host data path cache, so that a flush is done when it is asked for.
void CommonRegisters::InstallHdp() {
  registers_.OnWrite(chip_.hdp_flush_req, 1, [this](std::uint32_t offset, std::uint32_t value) {
    registers_.Set(offset, value);
    registers_.Set(chip_.hdp_flush_done, value);
  });
}

}  // namespace kfdcts::vgpu
