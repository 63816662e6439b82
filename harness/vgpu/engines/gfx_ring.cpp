#include "harness/vgpu/engines/gfx_ring.h"

#include "harness/vgpu/engines/bits.h"

namespace kfdcts::vgpu {

namespace {

// CP_RB0_CNTL
constexpr std::uint32_t kBufferSizeMask = 0x3f, kMaxBufferSize = 27;
// CP_RB_DOORBELL_CONTROL
constexpr std::uint32_t kDoorbellEnable = 1u << 30, kDoorbellOffsetMask = 0x0fff'fffc;
// CP_ME_CNTL
constexpr std::uint32_t kMeHalt = 1u << 28, kPfpHalt = 1u << 26;

}  // namespace

GfxRing::GfxRing(Services& services) : services_(services) {
  const Chip& chip = services.chip;
  RegisterFile& registers = services.registers;
  registers.OnWrite(chip.cp_rb0_cntl, 1, [this](std::uint32_t offset, std::uint32_t value) {
    services_.registers.Set(offset, value);
    Restart();
  });
  for (const std::uint32_t reg :
       {chip.cp_rb0_base, chip.cp_rb0_base_hi, chip.cp_rb0_rptr_addr, chip.cp_rb0_rptr_addr_hi}) {
    registers.OnWrite(reg, 1, [this](std::uint32_t offset, std::uint32_t value) {
      services_.registers.Set(offset, value);
      OnBase();
    });
  }
  for (const std::uint32_t reg : {chip.cp_rb0_wptr, chip.cp_rb0_wptr_hi}) {
    registers.OnWrite(reg, 1, [this](std::uint32_t offset, std::uint32_t value) {
      services_.registers.Set(offset, value);
      if (queue_.on()) queue_.SetWptr(services_.registers.Get64(services_.chip.cp_rb0_wptr));
    });
  }
  registers.OnRead(chip.cp_rb0_rptr, 1, [this](std::uint32_t) {
    return queue_.on() ? static_cast<std::uint32_t>(queue_.rptr & (queue_.dwords - 1)) : 0;
  });
  Reset();
}

void GfxRing::Reset() { queue_ = Queue{}; }

/// The driver programs CP_RB0_CNTL first: the ring is empty then and starts at its beginning.
void GfxRing::Restart() {
  queue_ = Queue{};
  const std::uint32_t size = services_.registers.Get(services_.chip.cp_rb0_cntl) & kBufferSizeMask;
  if (size > kMaxBufferSize) {
    services_.diagnostics.Count(Diagnostics::Kind::kMalformedRing, "gfx ring size");
    return;
  }
  queue_.dwords = std::uint64_t{2} << size;
  queue_.state = QueueState::kIdle;
  OnBase();
}

void GfxRing::OnBase() {
  const Chip& chip = services_.chip;
  const RegisterFile& registers = services_.registers;
  queue_.base = Join(registers.Get(chip.cp_rb0_base), registers.Get(chip.cp_rb0_base_hi)) << 8;
  queue_.rptr_report =
      Join(registers.Get(chip.cp_rb0_rptr_addr), registers.Get(chip.cp_rb0_rptr_addr_hi)) & ~3ULL;
}

bool GfxRing::Doorbell(std::uint32_t offset, std::uint64_t value, bool wide) {
  const std::uint32_t control = services_.registers.Get(services_.chip.cp_rb_doorbell_control);
  if (!(control & kDoorbellEnable) || (control & kDoorbellOffsetMask) != offset) return false;
  if (queue_.on()) {
    queue_.SetWptr(wide ? value : ExtendPointer(static_cast<std::uint32_t>(value), queue_.rptr));
  }
  return true;
}

bool GfxRing::Enabled() const {
  return !(services_.registers.Get(services_.chip.cp_me_cntl) & (kMeHalt | kPfpHalt));
}

}  // namespace kfdcts::vgpu
