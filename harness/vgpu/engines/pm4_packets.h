#pragma once

#include <cstdint>

#include "harness/vgpu/engines/bits.h"

/// PM4 encodings (soc15d.h, kfd_pm4_headers_ai.h). Body dwords are counted from the one behind the
/// header.
namespace kfdcts::vgpu::pm4 {

enum Opcode : std::uint8_t {
  kNop = 0x10,
  kSetBase = 0x11,
  kClearState = 0x12,
  kDispatchDirect = 0x15,
  kDispatchIndirect = 0x16,
  kAtomicMem = 0x1e,
  kCondExec = 0x22,
  kContextControl = 0x28,
  kIndirectBufferConst = 0x33,
  kWriteData = 0x37,
  kWaitRegMem = 0x3c,
  kIndirectBuffer = 0x3f,
  kCopyData = 0x40,
  kPfpSyncMe = 0x42,
  kEventWrite = 0x46,
  kReleaseMem = 0x49,
  kPreambleCntl = 0x4a,
  kDmaData = 0x50,
  kAcquireMem = 0x58,
  kRewind = 0x59,
  kSetConfigReg = 0x68,
  kSetContextReg = 0x69,
  kSetShReg = 0x76,
  kSetUconfigReg = 0x79,
  kWaitOnCeCounter = 0x86,
  kSwitchBuffer = 0x8b,
  kFrameControl = 0x90,
  kInvalidateTlbs = 0x98,
  kSetResources = 0xa0,
  kMapProcess = 0xa1,
  kMapQueues = 0xa2,
  kUnmapQueues = 0xa3,
  kQueryStatus = 0xa4,
  kRunList = 0xa5,
  kRunCleanerShader90 = 0xd7,
};

constexpr std::uint32_t Header(Opcode opcode, std::uint32_t body_dwords) {
  return 3u << 30 | (body_dwords - 1) << 16 | static_cast<std::uint32_t>(opcode) << 8;
}
/// A NOP of one dword, header only.
inline constexpr std::uint32_t kNopDword = 3u << 30 | 0x3fffu << 16 | kNop << 8;
inline constexpr std::uint32_t kType2Nop = 2u << 30;
inline constexpr std::uint32_t kMaxBody = 0x4000;

constexpr std::uint32_t Type(std::uint32_t header) { return header >> 30; }
constexpr std::uint32_t BodyDwords(std::uint32_t header) { return ((header >> 16) & 0x3fff) + 1; }
constexpr std::uint8_t OpcodeOf(std::uint32_t header) { return (header >> 8) & 0xff; }

/// First registers of the SET_*_REG packets and one behind the last, in dwords.
inline constexpr std::uint32_t kConfigRegStart = 0x2000, kConfigRegEnd = 0x2c00;
inline constexpr std::uint32_t kShRegStart = 0x2c00, kShRegEnd = 0x3000;
inline constexpr std::uint32_t kContextRegStart = 0xa000, kContextRegEnd = 0xa400;
inline constexpr std::uint32_t kUconfigRegStart = 0xc000, kUconfigRegEnd = 0x10000;

/// WRITE_DATA and COPY_DATA destinations.
enum DestinationSelect : std::uint32_t {
  kDstRegister = 0,
  kDstMemorySync = 1,
  kDstTcL2 = 2,
  kDstGds = 3,
  kDstMemory = 5,
};
/// WRITE_DATA of the gfx ring's state (dst_sel 8): memory, too.
inline constexpr std::uint32_t kDstPreemptionState = 8;

enum CopyDataSource : std::uint32_t {
  kSrcRegister = 0,
  kSrcMemory = 1,
  kSrcTcL2 = 2,
  kSrcImmediate = 5,
  kSrcAtomicReturn = 6,
  kSrcGpuClock = 9,
};

enum ReleaseMemData : std::uint32_t { kDataNone = 0, kData32 = 1, kData64 = 2, kDataClock = 3 };
enum ReleaseMemInterrupt : std::uint32_t {
  kIntNone = 0,
  kIntOnly = 1,
  kIntAfterWrite = 2,
  kIntDataAfterWrite = 3,
  kIntContextId = 4,
};

enum WaitOperation : std::uint32_t {
  kWaitRegMemOp = 0,
  kWriteWaitWriteReg = 1,
  kWaitMemPreemptable = 3
};

enum UnmapAction : std::uint32_t {
  kPreemptQueues = 0,
  kResetQueues = 1,
  kDisableProcessQueues = 2,
  kPreemptQueuesNoUnmap = 3,
};
enum UnmapSelect : std::uint32_t {
  kUnmapSpecified = 0,
  kUnmapPasid = 1,
  kUnmapAll = 2,
  kUnmapAllNonStatic = 3,
};
enum EngineSelect : std::uint32_t {
  kEngineCompute = 0,
  kEngineHiq = 1,
  kEngineSdma0 = 2,
  kEngineSdma1 = 3
};

/// Source ids of the GRBM_CP interrupt client (irqsrcs_gfx_9_0.h).
inline constexpr std::uint8_t kClientGrbmCp = 0x14;
inline constexpr std::uint8_t kSourceEndOfPipe = 181, kSourceBadOpcode = 183,
                              kSourcePrivilegedRegister = 184, kSourceQueryStatus = 199;

}  // namespace kfdcts::vgpu::pm4
