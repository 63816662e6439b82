#pragma once

#include <cstdint>

#include "harness/vgpu/asic/chip.h"

namespace kfdcts::vgpu {

/// Dwords of struct v9_mqd (v9_structs.h), the memory image of a compute queue. From
/// kCpMqdBaseAddrLo on they are the HQD registers in their order, CP_MQD_BASE_ADDR first.
namespace mqd {
inline constexpr std::uint32_t kReadIndexLo = 96, kReadIndexHi = 97;
inline constexpr std::uint32_t kCpMqdBaseAddrLo = 128;
inline constexpr std::uint32_t kQueueDoorbellId0 = 240;
/// HQD registers that have a place in the MQD: CP_MQD_BASE_ADDR … CP_HQD_PQ_WPTR_HI.
inline constexpr std::uint32_t kHqdRegisterCount = 56;
}  // namespace mqd

/// HQD registers by their distance from CP_MQD_BASE_ADDR, in dwords (gc_9_0_offset.h).
namespace hqd {
enum Register : std::uint32_t {
  kMqdBaseAddr = 0,
  kMqdBaseAddrHi = 1,
  kActive = 2,
  kVmid = 3,
  kPqBase = 8,
  kPqBaseHi = 9,
  kPqRptr = 10,
  kPqRptrReportAddr = 11,
  kPqRptrReportAddrHi = 12,
  kPqWptrPollAddr = 13,
  kPqWptrPollAddrHi = 14,
  kPqDoorbellControl = 15,
  kPqControl = 17,
  kIbBaseAddr = 18,
  kIbBaseAddrHi = 19,
  kIbRptr = 20,
  kIbControl = 21,
  kDequeueRequest = 24,
  kError = 51,
  kAqlControl = 53,
  kPqWptrLo = 54,
  kPqWptrHi = 55,
};
inline constexpr std::uint32_t kIbSizeMask = 0xf'ffff;  // CP_HQD_IB_CONTROL.IB_SIZE
inline constexpr std::uint32_t kDoorbellEnable = 1u
                                                 << 30;  // CP_HQD_PQ_DOORBELL_CONTROL.DOORBELL_EN
inline constexpr std::uint32_t kDoorbellOffsetMask = 0x0fff'fffc;
inline constexpr std::uint32_t kQueueSizeMask = 0x3f;  // CP_HQD_PQ_CONTROL.QUEUE_SIZE
inline constexpr std::uint32_t kNoUpdateRptr = 1u << 27;
inline constexpr std::uint32_t kKmdQueue = 1u << 31;
inline constexpr std::uint32_t kErrorAql = 1u << 5;      // CP_HQD_ERROR.AQL_ERROR
inline constexpr std::uint32_t kErrorPqUtcl1 = 1u << 8;  // CP_HQD_ERROR.PQ_UTCL1_ERROR
}  // namespace hqd

/// Dwords of struct v9_sdma_mqd.
namespace sdma_mqd {
inline constexpr std::uint32_t kRbCntl = 0, kRbBase = 1, kRbBaseHi = 2, kRbRptr = 3, kRbRptrHi = 4;
inline constexpr std::uint32_t kRbWptr = 5, kRbWptrHi = 6, kRbRptrAddrHi = 8, kRbRptrAddrLo = 9;
inline constexpr std::uint32_t kIbCntl = 10, kIbRptr = 11, kIbOffset = 12, kIbBaseLo = 13;
inline constexpr std::uint32_t kIbBaseHi = 14, kIbSize = 15, kContextStatus = 17;
inline constexpr std::uint32_t kDoorbellOffset = 22;
inline constexpr std::uint32_t kDwords = 128;
}  // namespace sdma_mqd

}  // namespace kfdcts::vgpu
