#pragma once

#include <array>
#include <cstring>
#include <initializer_list>

#include "harness/vgpu/core/device.h"
#include "harness/vgpu/test/support/fake_host.h"

namespace kfdcts::vgpu {

/// A whole device, touched as a guest does: through its BARs. One gfx ring at the start of VRAM.
struct DeviceRig {
  static constexpr std::uint64_t kVramBytes = 16 << 20;
  static constexpr std::uint64_t kDoorbell = 0x88, kRingDwords = 1024;

  FakeHost host;
  Device device{{.chip = &kVega10, .vram_bytes = kVramBytes, .vbios = {}}, host};

  template <typename T>
  T Read(Device::Bar bar, std::uint64_t offset) {
    std::array<std::byte, sizeof(T)> bytes;
    device.Read(bar, offset, bytes);
    T value;
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  template <typename T>
  void Write(Device::Bar bar, std::uint64_t offset, T value) {
    std::array<std::byte, sizeof(T)> bytes;
    std::memcpy(bytes.data(), &value, sizeof value);
    device.Write(bar, offset, bytes);
  }

  void StartRing() {
    const auto set = [this](std::uint32_t reg, std::uint64_t value) {
      Write(Device::Bar::kRegisters, reg, static_cast<std::uint32_t>(value));
    };
    set(kVega10.cp_rb0_cntl, 9);
    set(kVega10.cp_rb0_base, kVega10.fb_base >> 8);
    set(kVega10.cp_rb0_base_hi, kVega10.fb_base >> 40);
    set(kVega10.cp_rb_doorbell_control, 1u << 30 | kDoorbell);
    wptr = 0;
  }
  void Emit(std::initializer_list<std::uint32_t> dwords) {
    for (const std::uint32_t dword : dwords)
      Write(Device::Bar::kVram, wptr++ % kRingDwords * 4, dword);
  }
  void Kick() { Write(Device::Bar::kDoorbell, kDoorbell, wptr); }
  void Submit(std::initializer_list<std::uint32_t> dwords) {
    Emit(dwords);
    Kick();
  }

  std::uint64_t wptr = 0;
};

}  // namespace kfdcts::vgpu
