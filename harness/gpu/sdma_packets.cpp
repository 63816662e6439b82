#include "harness/gpu/sdma_packets.h"

#include <algorithm>

namespace kfdcts::gpu {
namespace {

enum Op : std::uint32_t {
  kNop = 0,
  kCopy = 1,
  kWrite = 2,
  kFence = 5,
  kTrap = 6,
  kPollRegMem = 8,
  kCondExe = 9,
  kAtomic = 10,
  kConstFill = 11,
  kTimestamp = 13,
  kCacheRequest = 17,  // GCR_REQ
};

constexpr std::uint32_t Low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }
constexpr std::uint32_t High(std::uint64_t value) {
  return static_cast<std::uint32_t>(value >> 32);
}

}  // namespace

SdmaPackets& SdmaPackets::Append(std::initializer_list<std::uint32_t> words) {
  words_.insert(words_.end(), words);
  return *this;
}

SdmaPackets& SdmaPackets::Copy(std::uint64_t destination, std::uint64_t source,
                               std::uint64_t bytes) {
  constexpr std::uint32_t kCompressionWord = 1U << 19;  // CPV
  const bool compresses = generation_ == Generation::kGfx12;
  while (bytes > 0) {
    const std::uint64_t part = std::min(bytes, kMaxCopyBytes);
    Append({kCopy | (compresses ? kCompressionWord : 0), Low(part - 1), 0, Low(source),
            High(source), Low(destination), High(destination)});
    if (compresses) Append({0});
    source += part;
    destination += part;
    bytes -= part;
  }
  return *this;
}

SdmaPackets& SdmaPackets::Fill(std::uint64_t destination, std::uint32_t value,
                               std::uint64_t bytes) {
  constexpr std::uint32_t kDwordFill = 2U << 30;
  while (bytes > 0) {
    const std::uint64_t part = std::min(bytes, kMaxCopyBytes);
    Append({kConstFill | kDwordFill, Low(destination), High(destination), value, Low(part - 1)});
    destination += part;
    bytes -= part;
  }
  return *this;
}

SdmaPackets& SdmaPackets::Write(std::uint64_t destination, std::span<const std::uint32_t> words) {
  Append({kWrite, Low(destination), High(destination), Low(words.size() - 1)});
  words_.insert(words_.end(), words.begin(), words.end());
  return *this;
}

SdmaPackets& SdmaPackets::Fence(std::uint64_t address, std::uint32_t value) {
  constexpr std::uint32_t kUncached = 3U << 16;  // MTYPE
  const std::uint32_t type = generation_ == Generation::kGfx9 ? 0 : kUncached;
  return Append({kFence | type, Low(address), High(address), value});
}

SdmaPackets& SdmaPackets::SyncCaches() {
  // Instruction cache whole; metadata, scalar, vector, first and second level invalidated, the
  // second level written back.
  constexpr std::uint32_t kControl =
      1U | 1U << 5 | 1U << 7 | 1U << 8 | 1U << 9 | 1U << 14 | 1U << 15;
  switch (generation_) {
    case Generation::kGfx9:
      return *this;
    case Generation::kGfx10:
    case Generation::kGfx12:
      return Append({kCacheRequest, 0, kControl << 16, kControl >> 16, 0});
    case Generation::kGfx125:
      return Append({kCacheRequest, 0, 0, kControl, 0, 0});
  }
  return *this;
}

SdmaPackets& SdmaPackets::Trap(std::uint32_t context_id) {
  return Append({kTrap, context_id & 0x0fffffff});
}

SdmaPackets& SdmaPackets::Atomic(AtomicOp op, std::uint64_t address, std::uint64_t operand,
                                 std::uint64_t compare) {
  return Append({kAtomic | static_cast<std::uint32_t>(op) << 25, Low(address), High(address),
                 Low(operand), High(operand), Low(compare), High(compare), 0});
}

SdmaPackets& SdmaPackets::Poll(std::uint64_t address, std::uint32_t reference, std::uint32_t mask,
                               Compare compare) {
  constexpr std::uint32_t kMemory = 1U << 31;
  constexpr std::uint32_t kForever = 0xfffU << 16;
  constexpr std::uint32_t kInterval = 10;
  return Append({kPollRegMem | static_cast<std::uint32_t>(compare) << 28 | kMemory, Low(address),
                 High(address), reference, mask, kForever | kInterval});
}

SdmaPackets& SdmaPackets::ConditionalExecute(std::uint64_t address, std::uint32_t reference,
                                             std::uint32_t words) {
  return Append({kCondExe, Low(address), High(address), reference, words & 0x3fff});
}

SdmaPackets& SdmaPackets::Timestamp(std::uint64_t address) {
  constexpr std::uint32_t kGetGlobal = 2U << 8;
  return Append({kTimestamp | kGetGlobal, Low(address), High(address)});
}

SdmaPackets& SdmaPackets::Nop(std::uint32_t words) {
  words_.push_back(kNop | (words - 1) << 16);
  words_.insert(words_.end(), words - 1, 0);
  return *this;
}

SdmaPackets& SdmaPackets::Raw(std::uint32_t word) {
  words_.push_back(word);
  return *this;
}

}  // namespace kfdcts::gpu
