#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "harness/vgpu/core/host.h"

namespace kfdcts::vgpu {

/// A machine in memory for unit tests: one block of guest memory at bus address kBase, a count of
/// interrupts and a clock that moves only by hand. Everything outside the block is not mapped.
class FakeHost : public Host {
 public:
  /// Not zero, so that a bus address never passes for an offset into the block.
  static constexpr std::uint64_t kBase = 0x1'0000'0000;

  explicit FakeHost(std::size_t bytes = 4 << 20) : memory_(bytes) {}

  std::byte* GuestMemory(std::uint64_t address, std::size_t size, bool write) override {
    const bool inside =
        address >= kBase && size <= memory_.size() && address - kBase <= memory_.size() - size;
    if (!inside || (write && read_only_)) return nullptr;
    return memory_.data() + (address - kBase);
  }
  void RaiseInterrupt() override { ++interrupts_; }
  std::uint64_t NowNs() const override { return now_ns_; }

  std::uint64_t end() const {
    return kBase + memory_.size();
  }  ///< First bus address behind the memory.
  unsigned interrupts() const { return interrupts_; }
  void AdvanceNs(std::uint64_t ns) { now_ns_ += ns; }
  void SetReadOnly(bool read_only) { read_only_ = read_only; }

  /// Plain access from the guest's side; aborts the test where `address` is not in the block.
  template <typename T>
  T Load(std::uint64_t address) const {
    T value;
    std::memcpy(&value, &memory_.at(address - kBase + sizeof value - 1) - (sizeof value - 1),
                sizeof value);
    return value;
  }
  template <typename T>
  void Store(std::uint64_t address, const T& value) {
    std::memcpy(&memory_.at(address - kBase + sizeof value - 1) - (sizeof value - 1), &value,
                sizeof value);
  }

 private:
  std::vector<std::byte> memory_;
  unsigned interrupts_ = 0;
  std::uint64_t now_ns_ = 1'000'000;
  bool read_only_ = false;
};

}  // namespace kfdcts::vgpu
