#include "harness/gpu/aql_packets.h"

#include <algorithm>

namespace kfdcts::gpu {
namespace {

constexpr std::uint32_t kScopeSystem = 2;

constexpr std::uint32_t Header(AqlType type) {
  constexpr std::uint32_t kBarrierBit = 1U << 8;
  return static_cast<std::uint32_t>(type) | kBarrierBit | kScopeSystem << 9 | kScopeSystem << 11;
}

void Put64(AqlPacket& packet, std::size_t word, std::uint64_t value) {
  packet[word] = static_cast<std::uint32_t>(value);
  packet[word + 1] = static_cast<std::uint32_t>(value >> 32);
}

}  // namespace

AqlPacket AqlBarrier(AqlType type, std::span<const std::uint64_t> dependencies,
                     std::uint64_t completion) {
  AqlPacket packet{};
  packet[0] = Header(type);
  for (std::size_t i = 0; i < std::min<std::size_t>(5, dependencies.size()); ++i) {
    Put64(packet, 2 + 2 * i, dependencies[i]);
  }
  Put64(packet, 14, completion);
  return packet;
}

AqlPacket AqlDispatch(std::uint64_t kernel_object, std::uint64_t kernel_arguments,
                      std::uint64_t completion) {
  AqlPacket packet{};
  constexpr std::uint32_t kOneDimension = 1;
  packet[0] = Header(AqlType::kKernelDispatch) | kOneDimension << 16;
  packet[1] = 1 | 1U << 16;               // work-group size x, y
  packet[2] = 1;                          // z
  packet[3] = packet[4] = packet[5] = 1;  // grid size
  Put64(packet, 8, kernel_object);
  Put64(packet, 10, kernel_arguments);
  Put64(packet, 14, completion);
  return packet;
}

}  // namespace kfdcts::gpu
