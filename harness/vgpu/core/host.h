#pragma once

#include <cstddef>
#include <cstdint>

namespace kfdcts::vgpu {

/// What the device needs from the machine it is plugged into. Implemented by the vfio-user
/// transport and, for unit tests, by an object in memory. The device calls it with its own lock
/// held, so an implementation must not call back.
class Host {
 public:
  virtual ~Host() = default;

  /// Guest memory at bus address `address`, valid until the device's lock is dropped.
  /// Null where any byte of [address, address + size) is not mapped, spans two mappings, or is not
  /// writable for `write`.
  virtual std::byte* GuestMemory(std::uint64_t address, std::size_t size, bool write) = 0;

  /// Signals MSI vector 0. Lost when the guest has not enabled it, as on hardware.
  virtual void RaiseInterrupt() = 0;

  /// Monotonic time in nanoseconds: the clock counters, retry and poll intervals.
  virtual std::uint64_t NowNs() const = 0;
};

}  // namespace kfdcts::vgpu
