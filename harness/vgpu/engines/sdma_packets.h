#pragma once

#include <cstdint>

/// SDMA v4 encodings (vega10_sdma_pkt_open.h).
namespace kfdcts::vgpu::sdma {

enum Opcode : std::uint8_t {
  kNop = 0,
  kCopy = 1,
  kWrite = 2,
  kIndirect = 4,
  kFence = 5,
  kTrap = 6,
  kSem = 7,
  kPollRegmem = 8,
  kCondExe = 9,
  kAtomic = 10,
  kConstFill = 11,
  kPtepde = 12,
  kTimestamp = 13,
  kSrbmWrite = 14,
  kPreExe = 15,
  kDummyTrap = 16,
};

enum SubOpcode : std::uint8_t {
  kCopyLinear = 0,
  kWriteLinear = 0,
  kPollReg = 0,
  kPollRegWriteMem = 1,
  kPtepdeGen = 0,
  kPtepdeCopy = 1,
  kTimestampSet = 0,
  kTimestampGet = 1,
  kTimestampGetGlobal = 2,
};

constexpr std::uint32_t Header(Opcode op, std::uint8_t sub_op = 0) {
  return op | static_cast<std::uint32_t>(sub_op) << 8;
}

// COPY_LINEAR
inline constexpr std::uint32_t kBroadcast = 1u << 27;
inline constexpr std::uint32_t kCountMask = 0x3f'ffff;  ///< Bytes less one, of copies and fills.
// WRITE_UNTILED
inline constexpr std::uint32_t kWriteCountMask = 0xf'ffff;  ///< Dwords less one.
// INDIRECT
inline constexpr std::uint32_t kIbSizeMask = 0xf'ffff;
// SEMAPHORE
inline constexpr std::uint32_t kSemWriteOne = 1u << 29, kSemSignal = 1u << 30;
// POLL_REGMEM
inline constexpr std::uint32_t kPollHdpFlush = 1u << 26, kPollMemory = 1u << 31;
inline constexpr std::uint32_t kPollForever = 0xfff;  ///< DW5's retry count.
// COND_EXE, PRE_EXE
inline constexpr std::uint32_t kExecCountMask = 0x3fff;
// CONSTANT_FILL's fillsize
inline constexpr std::uint32_t kFillByte = 0, kFillWord = 1, kFillDword = 2;
// PTEPDE
inline constexpr std::uint32_t kPteCountMask = 0x7'ffff;  ///< Entries less one.
// ATOMIC
inline constexpr std::uint32_t kAtomicLoop = 1u << 16;
// TRAP
inline constexpr std::uint32_t kIntContextMask = 0x0fff'ffff;
// SRBM_WRITE
inline constexpr std::uint32_t kSrbmAddressMask = 0x3'ffff;

/// Source ids of the SDMA interrupt clients (irqsrcs_sdma0_4_0.h).
inline constexpr std::uint8_t kSourceTrap = 224, kSourcePollTimeout = 246, kSourceSrbmWrite = 247;

}  // namespace kfdcts::vgpu::sdma
