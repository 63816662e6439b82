#include "harness/vgpu/core/device.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>
#include <utility>

#include "harness/vgpu/core/common_registers.h"
#include "harness/vgpu/core/interrupt_ring.h"
#include "harness/vgpu/engines/engine_set.h"
#include "harness/vgpu/memory/vram.h"

namespace kfdcts::vgpu {

namespace {

/// How long a stale translation's use waits for the flush. Between the driver's change of an entry
/// and its flush the guest's CPU may lose the processor for tens of milliseconds.
constexpr std::uint64_t kFlushGraceNs = 100'000'000;

}  // namespace

struct Device::Impl {
  Impl(DeviceConfig device_config, Host& device_host)
      : config(std::move(device_config)),
        host(device_host),
        vram(config.vram_bytes),
        registers(diagnostics),
        memory(*config.chip, registers, vram, host, diagnostics),
        common(*config.chip, registers, vram, host, diagnostics, config.vbios),
        interrupts(*config.chip, registers, memory, host),
        gate(interrupts, controls, counters, host),
        services{*config.chip, registers, memory, gate, host, diagnostics, controls, counters},
        engines(services) {
    memory.SetFlushGrace(kFlushGraceNs);
  }

  void ReadVram(std::uint64_t offset, std::span<std::byte> out);
  void WriteVram(std::uint64_t offset, std::span<const std::byte> data);
  void ReadRegisters(std::uint64_t offset, std::span<std::byte> out);
  void WriteRegisters(std::uint64_t offset, std::span<const std::byte> data);
  void WriteDoorbell(std::uint64_t offset, std::span<const std::byte> data);
  bool InBar(Bar bar, std::uint64_t offset, std::size_t size, const char* access);
  std::function<void()> WakeupIfEarlier();

  DeviceConfig config;
  Host& host;
  mutable std::mutex mutex;
  Diagnostics diagnostics;
  Vram vram;
  RegisterFile registers;
  GpuMemory memory;
  CommonRegisters common;
  Controls controls;
  Counters counters;
  InterruptRing interrupts;
  InterruptGate gate;
  Services services;
  EngineSet engines;
  std::function<void()> wakeup;
  // What the last Step promised; 0: the next one comes at once.
  std::uint64_t sleeps_until = UINT64_MAX;
};

/// The wakeup where something may now happen before the time that the last Step told, else nothing.
std::function<void()> Device::Impl::WakeupIfEarlier() {
  const std::uint64_t wake = engines.NextWake();
  if (wake >= sleeps_until) return {};
  sleeps_until = wake;
  return wakeup;
}

bool Device::Impl::InBar(Bar bar, std::uint64_t offset, std::size_t size, const char* access) {
  std::uint64_t bytes = 0;
  const char* name = "";
  switch (bar) {
    case Bar::kVram:
      bytes = vram.bytes();
      name = "BAR0";
      break;
    case Bar::kDoorbell:
      bytes = kDoorbellBytes;
      name = "BAR2";
      break;
    case Bar::kRegisters:
      bytes = RegisterFile::kMmioBytes;
      name = "BAR5";
      break;
  }
  if (size <= bytes && offset <= bytes - size) return true;
  diagnostics.Count(Diagnostics::Kind::kOutOfRange, std::string(name) + " " + access);
  return false;
}

void Device::Impl::ReadVram(std::uint64_t offset, std::span<std::byte> out) {
  std::memcpy(out.data(), vram.At(offset, out.size()), out.size());
}

void Device::Impl::WriteVram(std::uint64_t offset, std::span<const std::byte> data) {
  std::memcpy(vram.At(offset, data.size()), data.data(), data.size());
}

/// Registers are dwords. A wider access is one of each, a narrower one a part of it.
void Device::Impl::ReadRegisters(std::uint64_t offset, std::span<std::byte> out) {
  while (!out.empty()) {
    const std::uint64_t within = offset & 3;
    const std::size_t count = std::min<std::size_t>(out.size(), 4 - within);
    const std::uint32_t value = registers.Read(static_cast<std::uint32_t>(offset - within));
    ++counters.register_reads;
    std::memcpy(out.data(), reinterpret_cast<const std::byte*>(&value) + within, count);
    out = out.subspan(count);
    offset += count;
  }
}

void Device::Impl::WriteRegisters(std::uint64_t offset, std::span<const std::byte> data) {
  while (!data.empty()) {
    const std::uint64_t within = offset & 3;
    const std::size_t count = std::min<std::size_t>(data.size(), 4 - within);
    const auto reg = static_cast<std::uint32_t>(offset - within);
    std::uint32_t value = count == 4 ? 0 : registers.Get(reg);
    std::memcpy(reinterpret_cast<std::byte*>(&value) + within, data.data(), count);
    ++counters.register_writes;
    registers.Write(reg, value);
    data = data.subspan(count);
    offset += count;
  }
}

void Device::Impl::WriteDoorbell(std::uint64_t offset, std::span<const std::byte> data) {
  ++counters.doorbells;
  std::uint64_t value = 0;
  std::memcpy(&value, data.data(), data.size());
  const bool valid = (data.size() == 4 || data.size() == 8) && offset % data.size() == 0;
  if (!valid) {
    diagnostics.Count(Diagnostics::Kind::kUnclaimedDoorbell, "misaligned or narrow");
  } else if (!interrupts.Doorbell(offset, static_cast<std::uint32_t>(value))) {
    engines.Doorbell(static_cast<std::uint32_t>(offset), value, data.size() == 8);
  }
}

Device::Device(DeviceConfig config, Host& host)
    : impl_(std::make_unique<Impl>(std::move(config), host)) {}

Device::~Device() = default;

void Device::Read(Bar bar, std::uint64_t offset, std::span<std::byte> out) {
  const std::lock_guard lock(impl_->mutex);
  if (!impl_->InBar(bar, offset, out.size(), "read")) {
    std::fill(out.begin(), out.end(), std::byte{0xff});
    return;
  }
  switch (bar) {
    case Bar::kVram:
      return impl_->ReadVram(offset, out);
    case Bar::kDoorbell:
      std::fill(out.begin(), out.end(), std::byte{0});
      return;
    case Bar::kRegisters:
      return impl_->ReadRegisters(offset, out);
  }
}

void Device::Write(Bar bar, std::uint64_t offset, std::span<const std::byte> data) {
  std::function<void()> wakeup;
  {
    const std::lock_guard lock(impl_->mutex);
    if (data.empty() || data.size() > 8 || !impl_->InBar(bar, offset, data.size(), "write")) return;
    switch (bar) {
      case Bar::kVram:
        impl_->WriteVram(offset, data);
        break;
      case Bar::kDoorbell:
        impl_->WriteDoorbell(offset, data);
        break;
      case Bar::kRegisters:
        impl_->WriteRegisters(offset, data);
        break;
    }
    if (bar != Bar::kVram) wakeup = impl_->WakeupIfEarlier();
  }
  if (wakeup) wakeup();
}

Device::StepResult Device::Step() {
  const std::lock_guard lock(impl_->mutex);
  const bool progress = impl_->engines.Step();
  impl_->sleeps_until = progress ? 0 : impl_->engines.NextWake();
  return {progress, impl_->sleeps_until};
}

void Device::SetWakeup(std::function<void()> wakeup) {
  const std::lock_guard lock(impl_->mutex);
  impl_->wakeup = std::move(wakeup);
}

void Device::Reset() {
  const std::lock_guard lock(impl_->mutex);
  impl_->registers.Clear();
  impl_->common.Reset();
  impl_->memory.InvalidateAllTlbs();
  impl_->gate.Reset();
  impl_->controls = Controls{};
  impl_->engines.Reset();
}

void Device::Locked(const std::function<void()>& work) {
  const std::lock_guard lock(impl_->mutex);
  work();
}

std::uint64_t Device::vram_bytes() const { return impl_->vram.bytes(); }
int Device::vram_fd() const { return impl_->vram.fd(); }
std::span<const std::byte> Device::vbios() const { return impl_->config.vbios; }

std::string Device::Control(const ControlCommand& command) {
  std::function<void()> wakeup;
  std::string error;
  {
    const std::lock_guard lock(impl_->mutex);
    error = impl_->engines.Control(command);
    wakeup = impl_->WakeupIfEarlier();
  }
  if (wakeup) wakeup();
  return error;
}

Counters Device::Snapshot() const {
  const std::lock_guard lock(impl_->mutex);
  Counters counters = impl_->counters;
  impl_->engines.Describe(counters);
  return counters;
}

std::vector<QueueInfo> Device::Queues() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->engines.Queues();
}

Device::Complaints Device::ListComplaints(bool clear) {
  const std::lock_guard lock(impl_->mutex);
  impl_->engines.ReportDeadDoorbells();
  Findings& findings = impl_->diagnostics.findings;
  Complaints complaints{findings.All(), findings.beyond()};
  if (clear) findings.Clear();
  return complaints;
}

Device::HeldInterrupts Device::Held() const {
  const std::lock_guard lock(impl_->mutex);
  return {impl_->gate.held(), impl_->gate.held_faults()};
}

void Device::Report(std::ostream& out) const {
  const Counters counters = Snapshot();
  out << counters;
  const std::lock_guard lock(impl_->mutex);
  impl_->controls.Report(out);
  impl_->diagnostics.Report(out);
}

void Device::TraceRegisters(std::ostream* log) {
  const std::lock_guard lock(impl_->mutex);
  impl_->registers.Trace(log);
}

}  // namespace kfdcts::vgpu
