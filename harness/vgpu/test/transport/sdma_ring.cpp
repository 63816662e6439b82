#include "harness/vgpu/test/transport/sdma_ring.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "harness/vgpu/asic/chip.h"
#include "harness/vgpu/engines/sdma_packets.h"

namespace kfdcts::vgpu {
namespace {

constexpr std::uint32_t kDoorbell = 0x1e0 * 4;  // Where the driver puts it.
constexpr std::uint64_t kMaxCopy = 4 << 20;
constexpr std::uint64_t kPacketRoom = 16 * 8;  // Sixteen copies.

std::uint32_t Low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }
std::uint32_t High(std::uint64_t value) { return static_cast<std::uint32_t>(value >> 32); }
std::uint64_t Mc(std::uint64_t vram_offset) { return kVega10.fb_base + vram_offset; }

}  // namespace

MappedVram::MappedVram(const Device& device) : bytes_(device.vram_bytes()) {
  void* mapped = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, device.vram_fd(), 0);
  if (mapped == MAP_FAILED) {
    throw std::runtime_error("cannot map VRAM");
  }
  data_ = static_cast<std::byte*>(mapped);
}

MappedVram::~MappedVram() { munmap(data_, bytes_); }

std::uint32_t MappedVram::Load(std::uint64_t offset) const {
  auto* word = reinterpret_cast<std::uint32_t*>(data_ + offset);
  return std::atomic_ref(*word).load(std::memory_order_acquire);
}

void MappedVram::Store(std::uint64_t offset, std::uint32_t value) {
  auto* word = reinterpret_cast<std::uint32_t*>(data_ + offset);
  std::atomic_ref(*word).store(value, std::memory_order_release);
}

SdmaRing::SdmaRing(VfioClient& client, MappedVram& vram) : client_(client), vram_(vram) {
  const SdmaQueueRegisters& queue = kVega10.sdma_queue;
  WriteQueueRegister(queue.rb_base, Low(Mc(kRingAt) >> 8));
  WriteQueueRegister(queue.rb_base_hi, High(Mc(kRingAt) >> 8));
  WriteQueueRegister(queue.rb_rptr_addr_lo, Low(Mc(kReportAt)));
  WriteQueueRegister(queue.rb_rptr_addr_hi, High(Mc(kReportAt)));
  WriteQueueRegister(queue.doorbell_offset, kDoorbell);
  WriteQueueRegister(queue.doorbell, 1U << 28);  // enabled
  // RB_CNTL: enabled, with its size and with read pointer reports.
  WriteQueueRegister(0, kSizeField << 1 | 1U << 12 | 1U);
}

void SdmaRing::WriteQueueRegister(std::uint32_t offset, std::uint32_t value) {
  client_.WriteRegister(kVega10.sdma_gfx_rb_cntl[0] + offset, value);
}

void SdmaRing::Emit(std::initializer_list<std::uint32_t> packet) {
  for (const std::uint32_t dword : packet) {
    vram_.Store(kRingAt + wptr_++ % kDwords * 4, dword);
  }
}

void SdmaRing::Fence(std::uint32_t value) {
  Emit({sdma::Header(sdma::kFence), Low(Mc(kFenceAt)), High(Mc(kFenceAt)), value});
}

void SdmaRing::WaitForMemory(std::uint64_t offset, std::uint32_t value) {
  constexpr std::uint32_t kEqual = 3U << 28;
  Emit({sdma::Header(sdma::kPollRegmem) | sdma::kPollMemory | kEqual, Low(Mc(offset)),
        High(Mc(offset)), value, 0xffffffff, sdma::kPollForever << 16 | 10});
}

void SdmaRing::Copy(std::uint64_t source, std::uint64_t destination, std::uint64_t bytes) {
  while (bytes > 0) {
    const std::uint64_t piece = std::min(bytes, kMaxCopy);
    Emit({sdma::Header(sdma::kCopy), Low(piece - 1), 0, Low(Mc(source)), High(Mc(source)),
          Low(Mc(destination)), High(Mc(destination))});
    source += piece;
    destination += piece;
    bytes -= piece;
  }
}

bool SdmaRing::HasRoom() const { return wptr_ - kicked_ + kPacketRoom < kDwords; }

void SdmaRing::Kick() {
  client_.WriteDoorbell(kDoorbell, wptr_ * 4);
  kicked_ = wptr_;
}

bool SdmaRing::WaitForFence(std::uint32_t value) const {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (fence() != value) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::yield();
  }
  return true;
}

}  // namespace kfdcts::vgpu
