#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace kfdcts::gpu {

/// A signal as the packet processor knows it (amd_hsa_signal.h: amd_signal_t). Lives in GPU-visible
/// memory.
struct alignas(64) AqlSignal {
  std::int64_t kind;  ///< kUserSignal
  std::int64_t value;
  std::uint64_t event_mailbox;  ///< Of an event's slot; 0: no interrupt.
  std::uint32_t event_id;
  std::uint32_t reserved1;
  std::uint64_t start_time, end_time;
  std::uint64_t queue;
  std::uint32_t reserved2[2];

  static constexpr std::int64_t kUserSignal = 1;
};
static_assert(sizeof(AqlSignal) == 64);

/// A packet of the Architected Queuing Language (HSA Platform System Architecture, 2.9), 64 bytes.
using AqlPacket = std::array<std::uint32_t, 16>;

enum class AqlType : std::uint16_t {
  kVendor = 0,
  kInvalid = 1,
  kKernelDispatch = 2,
  kBarrierAnd = 3,
  kAgentDispatch = 4,
  kBarrierOr = 5,
};

/// The packet completes when the value of all (kBarrierAnd) or any (kBarrierOr) of the at most five
/// `dependencies` is 0; then the completion signal's value (0: none) is decremented. Addresses are
/// GPU addresses of AqlSignals.
AqlPacket AqlBarrier(AqlType type, std::span<const std::uint64_t> dependencies,
                     std::uint64_t completion);

/// One work item of a kernel whose code object's descriptor is at `kernel_object`.
AqlPacket AqlDispatch(std::uint64_t kernel_object, std::uint64_t kernel_arguments,
                      std::uint64_t completion);

}  // namespace kfdcts::gpu
