#include "harness/vgpu/engines/atomic_ops.h"

#include <algorithm>
#include <atomic>

namespace kfdcts::vgpu {

namespace {

template <typename T>
std::optional<T> Apply(std::uint32_t operation, T old, T source, T compare) {
  using Signed = std::make_signed_t<T>;
  const auto signed_old = static_cast<Signed>(old), signed_source = static_cast<Signed>(source);
  switch (operation) {
    case 0x07:  // SWAP
      return source;
    case 0x08:  // CMPSWAP
      return old == compare ? source : old;
    case 0x0f:  // ADD
      return static_cast<T>(old + source);
    case 0x10:  // SUB
      return static_cast<T>(old - source);
    case 0x11:  // SMIN
      return static_cast<T>(std::min(signed_old, signed_source));
    case 0x12:  // UMIN
      return std::min(old, source);
    case 0x13:  // SMAX
      return static_cast<T>(std::max(signed_old, signed_source));
    case 0x14:  // UMAX
      return std::max(old, source);
    case 0x15:  // AND
      return old & source;
    case 0x16:  // OR
      return old | source;
    case 0x17:  // XOR
      return old ^ source;
    case 0x18:  // INC wraps to 0 at the source
      return old >= source ? T{0} : static_cast<T>(old + 1);
    case 0x19:  // DEC wraps to the source at 0
      return old == 0 || old > source ? source : static_cast<T>(old - 1);
    default:
      return std::nullopt;
  }
}

template <typename T>
bool Exchange(std::byte* pointer, const AtomicOp& op, std::uint64_t& pre_op) {
  std::atomic_ref<T> target(*reinterpret_cast<T*>(pointer));
  T old = target.load();
  for (;;) {
    const auto desired =
        Apply<T>(op.code & 0x1f, old, static_cast<T>(op.source), static_cast<T>(op.compare));
    if (!desired) return false;
    if (target.compare_exchange_weak(old, *desired)) break;
  }
  pre_op = old;
  return true;
}

}  // namespace

std::optional<std::uint64_t> ApplyAtomic(const AtomicOp& op, std::uint64_t old) {
  if (op.is_64bit()) return Apply<std::uint64_t>(op.code & 0x1f, old, op.source, op.compare);
  return Apply<std::uint32_t>(op.code & 0x1f, static_cast<std::uint32_t>(old),
                              static_cast<std::uint32_t>(op.source),
                              static_cast<std::uint32_t>(op.compare));
}

Outcome ExecuteAtomic(GpuMemory& memory, AddressSpace space, std::uint64_t address,
                      const AtomicOp& op, std::uint64_t& pre_op) {
  if (!ApplyAtomic(op, 0)) return Outcome::Exception(QueueException::kPacketUnsupported);
  const std::size_t size = op.is_64bit() ? 8 : 4;
  Fault fault;
  std::byte* pointer = memory.Pointer(space, address & ~(size - 1), size, Access::kWrite, fault);
  if (!pointer) return Outcome::Faulted(fault);
  if (op.is_64bit()) {
    Exchange<std::uint64_t>(pointer, op, pre_op);
  } else {
    Exchange<std::uint32_t>(pointer, op, pre_op);
  }
  return Outcome::Done();
}

}  // namespace kfdcts::vgpu
