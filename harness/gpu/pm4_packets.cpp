#include "harness/gpu/pm4_packets.h"

namespace kfdcts::gpu {
namespace {

enum Opcode : std::uint32_t {
  kNop = 0x10,
  kAtomicMem = 0x1e,
  kWriteData = 0x37,
  kWaitRegMem = 0x3c,
  kCopyData = 0x40,
  kReleaseMem = 0x49,
  kDmaData = 0x50,
  kAcquireMem = 0x58,
};

constexpr std::uint32_t Header(std::uint32_t opcode, std::size_t payload_words) {
  return 3U << 30 | static_cast<std::uint32_t>(payload_words - 1) << 16 | opcode << 8;
}

constexpr std::uint32_t Low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }
constexpr std::uint32_t High(std::uint64_t value) {
  return static_cast<std::uint32_t>(value >> 32);
}

constexpr std::uint32_t kWriteConfirm = 1U << 20;
constexpr std::uint32_t kDestinationMemory = 5U << 8;

// COPY_DATA
constexpr std::uint32_t kSourceMemory = 1, kSourceImmediate = 5, kSourceClock = 9;
constexpr std::uint32_t kCount64 = 1U << 16;

// DMA_DATA
constexpr std::uint32_t kSourceData = 2U << 29;
constexpr std::uint32_t kDmaSync = 1U << 31;

std::uint32_t CopyControl(std::uint32_t source, Pm4Packets::Width width) {
  return source | kDestinationMemory | kWriteConfirm |
         (width == Pm4Packets::Width::k64 ? kCount64 : 0);
}

}  // namespace

Pm4Packets& Pm4Packets::Packet(std::uint32_t opcode, std::initializer_list<std::uint32_t> payload) {
  words_.push_back(Header(opcode, payload.size()));
  words_.insert(words_.end(), payload);
  return *this;
}

Pm4Packets& Pm4Packets::WriteData(std::uint64_t destination, std::span<const std::uint32_t> words) {
  words_.push_back(Header(kWriteData, 3 + words.size()));
  words_.insert(words_.end(),
                {kDestinationMemory | kWriteConfirm, Low(destination), High(destination)});
  words_.insert(words_.end(), words.begin(), words.end());
  return *this;
}

Pm4Packets& Pm4Packets::CopyData(std::uint64_t destination, std::uint64_t source, Width width) {
  return Packet(kCopyData, {CopyControl(kSourceMemory, width), Low(source), High(source),
                            Low(destination), High(destination)});
}

Pm4Packets& Pm4Packets::CopyImmediate(std::uint64_t destination, std::uint64_t value, Width width) {
  return Packet(kCopyData, {CopyControl(kSourceImmediate, width), Low(value), High(value),
                            Low(destination), High(destination)});
}

Pm4Packets& Pm4Packets::CopyClock(std::uint64_t destination) {
  return Packet(kCopyData,
                {CopyControl(kSourceClock, Width::k64), 0, 0, Low(destination), High(destination)});
}

Pm4Packets& Pm4Packets::WaitRegMem(std::uint64_t address, std::uint32_t reference,
                                   std::uint32_t mask, Compare compare) {
  constexpr std::uint32_t kMemorySpace = 1U << 4;
  constexpr std::uint32_t kPollInterval = 4;
  return Packet(kWaitRegMem, {static_cast<std::uint32_t>(compare) | kMemorySpace, Low(address),
                              High(address), reference, mask, kPollInterval});
}

Pm4Packets& Pm4Packets::Atomic(AtomicOp op, std::uint64_t address, std::uint64_t operand,
                               std::uint64_t compare) {
  constexpr std::uint32_t kLoopInterval = 10;  // of a looping command; this one is a single pass
  return Packet(kAtomicMem,
                {static_cast<std::uint32_t>(op), Low(address), High(address), Low(operand),
                 High(operand), Low(compare), High(compare), kLoopInterval});
}

Pm4Packets& Pm4Packets::DmaCopy(std::uint64_t destination, std::uint64_t source,
                                std::uint32_t bytes) {
  return Packet(kDmaData,
                {kDmaSync, Low(source), High(source), Low(destination), High(destination), bytes});
}

Pm4Packets& Pm4Packets::DmaFill(std::uint64_t destination, std::uint32_t value,
                                std::uint32_t bytes) {
  return Packet(kDmaData,
                {kDmaSync | kSourceData, value, 0, Low(destination), High(destination), bytes});
}

Pm4Packets& Pm4Packets::ReleaseMem(std::uint64_t address, std::uint64_t data, Release what,
                                   Interrupt interrupt, std::uint32_t context_id) {
  constexpr std::uint32_t kCacheFlushAndInvalidateTs = 0x14;
  constexpr std::uint32_t kEndOfPipeIndex = 5U << 8;
  constexpr std::uint32_t kWriteBackGfx9 = 1U << 15 | 1U << 17;              // TC, TC_WB
  constexpr std::uint32_t kWriteBackGfx10 = 1U << 21 | 1U << 22 | 3U << 25;  // GL2_WB, SEQ, bypass
  const std::uint32_t write_back =
      generation_ == Generation::kGfx9 ? kWriteBackGfx9 : kWriteBackGfx10;
  return Packet(kReleaseMem, {kCacheFlushAndInvalidateTs | kEndOfPipeIndex | write_back,
                              static_cast<std::uint32_t>(what) << 29 |
                                  static_cast<std::uint32_t>(interrupt) << 24,
                              Low(address), High(address), Low(data), High(data), context_id});
}

Pm4Packets& Pm4Packets::AcquireMem() {
  constexpr std::uint32_t kPollInterval = 10;
  if (generation_ == Generation::kGfx9) {
    constexpr std::uint32_t kAllCaches = 1U << 18 | 1U << 22 | 1U << 23 | 1U << 27 | 1U << 29;
    return Packet(kAcquireMem, {kAllCaches, 0xffffffff, 0xff, 0, 0, kPollInterval});
  }
  // As SDMA's cache request, with the metadata cache written back, too.
  constexpr std::uint32_t kControl =
      1U | 1U << 4 | 1U << 5 | 1U << 7 | 1U << 8 | 1U << 9 | 1U << 14 | 1U << 15;
  return Packet(kAcquireMem, {0, 0xffffffff, 0xffffff, 0, 0, kPollInterval, kControl});
}

Pm4Packets& Pm4Packets::Nop(std::uint32_t words) {
  words_.push_back(Header(kNop, words - 1));
  words_.insert(words_.end(), words - 1, 0);
  return *this;
}

Pm4Packets& Pm4Packets::Raw(std::uint32_t word) {
  words_.push_back(word);
  return *this;
}

}  // namespace kfdcts::gpu
