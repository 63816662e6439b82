#pragma once

#include <cstdint>

/// The vfio-user protocol on the wire, version 0.x (facts from its specification,
/// docs/interop/vfio-user.rst of QEMU). All numbers are in the host's byte order. Region and IRQ
/// structures are those of <linux/vfio.h>.
namespace kfdcts::vgpu::wire {

enum class Command : std::uint16_t {
  kVersion = 1,
  kDmaMap = 2,
  kDmaUnmap = 3,
  kDeviceGetInfo = 4,
  kDeviceGetRegionInfo = 5,
  kDeviceGetRegionIoFds = 6,
  kDeviceGetIrqInfo = 7,
  kDeviceSetIrqs = 8,
  kRegionRead = 9,
  kRegionWrite = 10,
  kDmaRead = 11,   // server to client only
  kDmaWrite = 12,  // server to client only
  kDeviceReset = 13,
  kRegionWriteMulti = 15,
  kDeviceFeature = 16,
};

inline constexpr std::uint32_t kTypeMask = 0xf;
inline constexpr std::uint32_t kTypeCommand = 0;
inline constexpr std::uint32_t kTypeReply = 1;
inline constexpr std::uint32_t kFlagNoReply = 1U << 4;
inline constexpr std::uint32_t kFlagError = 1U << 5;

struct Header {
  std::uint16_t id;
  std::uint16_t command;
  std::uint32_t size;  ///< Of the whole message with this header.
  std::uint32_t flags;
  std::uint32_t error;  ///< An errno value in a reply with kFlagError.
};
static_assert(sizeof(Header) == 16);

struct Version {
  std::uint16_t major;
  std::uint16_t minor;
  // JSON text with a terminating zero follows.
};

inline constexpr std::uint32_t kDmaReadable = 1U << 0;
inline constexpr std::uint32_t kDmaWritable = 1U << 1;

struct DmaMap {
  std::uint32_t argsz;
  std::uint32_t flags;
  std::uint64_t offset;
  std::uint64_t address;
  std::uint64_t size;
};
static_assert(sizeof(DmaMap) == 32);

inline constexpr std::uint32_t kDmaUnmapAll = 1U << 1;  // VFIO_DMA_UNMAP_FLAG_ALL

struct DmaUnmap {
  std::uint32_t argsz;
  std::uint32_t flags;
  std::uint64_t address;
  std::uint64_t size;
};
static_assert(sizeof(DmaUnmap) == 24);

/// Shorter than <linux/vfio.h>'s, which has grown.
struct DeviceInfo {
  std::uint32_t argsz;
  std::uint32_t flags;
  std::uint32_t num_regions;
  std::uint32_t num_irqs;
};
static_assert(sizeof(DeviceInfo) == 16);

struct RegionAccess {
  std::uint64_t offset;
  std::uint32_t region;
  std::uint32_t count;
  // Data follows in a write and in the reply to a read.
};
static_assert(sizeof(RegionAccess) == 16);

struct WriteMulti {
  std::uint64_t count;
  // So many SingleWrites follow.
};

struct SingleWrite {
  RegionAccess access;  ///< At most eight bytes.
  std::uint8_t data[8];
};
static_assert(sizeof(SingleWrite) == 24);

/// Of region reads and writes; announced in the version reply.
inline constexpr std::uint32_t kMaxTransferBytes = 1024 * 1024;
inline constexpr unsigned kMaxMessageFds = 8;
inline constexpr std::uint32_t kMaxMessageBytes =
    sizeof(Header) + sizeof(RegionAccess) + kMaxTransferBytes;

}  // namespace kfdcts::vgpu::wire
