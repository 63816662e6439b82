#pragma once

#include <cstdint>

#include "harness/vgpu/memory/gpu_memory.h"

namespace kfdcts::vgpu {

/// Why a user queue stops. The numbers are those of enum kfd_dbg_trap_exception_code, which the
/// driver expects in a CP_BAD_OPCODE interrupt.
enum class QueueException : std::uint32_t {
  kPacketReserved = 19,
  kPacketUnsupported = 20,
  kVendorPacketUnsupported = 23,
  kPrivilegedRegister =
      0x100,  ///< Not of that enumeration: an interrupt of its own (CP_PRIV_REG_FAULT).
};

/// How the execution of one packet ended.
struct Outcome {
  enum class Kind : std::uint8_t {
    kDone,   ///< Executed; the queue goes on behind it.
    kAgain,  ///< Part of it is done (Queue::progress says how much); the rest comes with the next
             ///< step.
    kWait,   ///< Its condition does not hold yet. Nothing was done that must not be done again.
    kFault,  ///< A memory access faulted. The packet can start anew.
    kException,  ///< It cannot be executed.
  };

  Kind kind;
  Fault fault = {};               ///< Of kFault.
  QueueException exception = {};  ///< Of kException.

  static Outcome Done() { return {Kind::kDone}; }
  static Outcome Again() { return {Kind::kAgain}; }
  static Outcome Wait() { return {Kind::kWait}; }
  static Outcome Faulted(const Fault& fault) { return {Kind::kFault, fault}; }
  static Outcome Exception(QueueException exception) { return {Kind::kException, {}, exception}; }
  /// Done, unless the access faulted.
  static Outcome From(const std::optional<Fault>& fault) {
    return fault ? Faulted(*fault) : Done();
  }
};

}  // namespace kfdcts::vgpu
