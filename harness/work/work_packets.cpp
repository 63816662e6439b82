#include "harness/work/work_packets.h"

#include <algorithm>
#include <stdexcept>

namespace kfdcts::harness {
namespace {

using gpu::Pm4Packets;
using gpu::SdmaPackets;

/// Of one DMA_DATA packet; whole words.
constexpr std::uint64_t kPm4DmaBytes = std::uint64_t{1} << 20;

/// Calls `body(offset, bytes)` for each part of a DMA_DATA packet's size.
template <class Body>
void ForEachDmaPart(std::uint64_t bytes, const Body& body) {
  for (std::uint64_t offset = 0; offset < bytes; offset += kPm4DmaBytes) {
    body(offset, static_cast<std::uint32_t>(std::min(kPm4DmaBytes, bytes - offset)));
  }
}

}  // namespace

WorkPackets::WorkPackets(const GpuNode& gpu, Engine engine) {
  const gpu::Generation generation = gpu::GenerationOf(gpu.facts);
  if (engine == Engine::kPm4) {
    packets_.emplace<Pm4Packets>(generation).AcquireMem();
  } else {
    packets_.emplace<SdmaPackets>(generation).SyncCaches();
  }
}

WorkPackets& WorkPackets::Write(std::uint64_t address, std::span<const std::uint32_t> words) {
  if (auto* const sdma = std::get_if<SdmaPackets>(&packets_)) {
    sdma->Write(address, words);
  } else {
    std::get<Pm4Packets>(packets_).WriteData(address, words);
  }
  return *this;
}

WorkPackets& WorkPackets::Fill(std::uint64_t address, std::uint32_t value, std::uint64_t bytes) {
  if (auto* const sdma = std::get_if<SdmaPackets>(&packets_)) {
    sdma->Fill(address, value, bytes);
    return *this;
  }
  ForEachDmaPart(bytes, [&](std::uint64_t offset, std::uint32_t part) {
    std::get<Pm4Packets>(packets_).DmaFill(address + offset, value, part);
  });
  return *this;
}

WorkPackets& WorkPackets::Copy(std::uint64_t destination, std::uint64_t source,
                               std::uint64_t bytes) {
  if (auto* const sdma = std::get_if<SdmaPackets>(&packets_)) {
    sdma->Copy(destination, source, bytes);
    return *this;
  }
  ForEachDmaPart(bytes, [&](std::uint64_t offset, std::uint32_t part) {
    std::get<Pm4Packets>(packets_).DmaCopy(destination + offset, source + offset, part);
  });
  return *this;
}

WorkPackets& WorkPackets::Atomic(AtomicOp op, std::uint64_t address, std::uint64_t operand,
                                 std::uint64_t compare) {
  if (auto* const sdma = std::get_if<SdmaPackets>(&packets_)) {
    sdma->Atomic(op, address, operand, compare);
  } else {
    std::get<Pm4Packets>(packets_).Atomic(op, address, operand, compare);
  }
  return *this;
}

WorkPackets& WorkPackets::WaitFor(std::uint64_t address, std::uint32_t value) {
  if (auto* const sdma = std::get_if<SdmaPackets>(&packets_)) {
    sdma->Poll(address, value);
  } else {
    std::get<Pm4Packets>(packets_).WaitRegMem(address, value);
  }
  return *this;
}

WorkPackets& WorkPackets::Fence(std::uint64_t address, std::uint32_t value) {
  if (auto* const sdma = std::get_if<SdmaPackets>(&packets_)) {
    sdma->SyncCaches().Fence(address, value);
  } else {
    std::get<Pm4Packets>(packets_).ReleaseMem(address, value, Pm4Packets::Release::kData32);
  }
  return *this;
}

std::span<const std::uint32_t> WorkPackets::words() const {
  return std::visit([](const auto& packets) { return packets.words(); }, packets_);
}

}  // namespace kfdcts::harness
