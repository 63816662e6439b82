#pragma once

#include <cstdint>
#include <ostream>
#include <string>

#include "hsakmt/hsakmttypes.h"

namespace kfdcts::harness {

/// A memory exception event of this process (HsaMemoryAccessFault).
struct MemoryFault {
  HSAuint32 node = 0;         ///< The GPU's.
  std::uint64_t address = 0;  ///< Page aligned.
  bool not_present = false;   ///< No page, or none that the GPU may see.
  bool read_only = false;     ///< A write to what may only be read.
  bool no_execute = false;

  friend bool operator==(const MemoryFault&, const MemoryFault&) = default;
};

/// How work of a GPU ended.
struct WorkResult {
  enum class End {
    kDone,
    kFault,    ///< A memory exception event came first.
    kReset,    ///< A hardware exception event came first.
    kTimeout,  ///< Nothing of this before the deadline; the work may still end.
  };

  End end = End::kTimeout;
  MemoryFault fault{};  ///< Of kFault.

  explicit operator bool() const { return end == End::kDone; }
  /// "done", "memory fault at 0x7f… of node 1 (not present)", "timeout", …
  std::string Text() const;
};

std::ostream& operator<<(std::ostream& out, const WorkResult& result);

// For gtest's messages.
void PrintTo(const MemoryFault& fault, std::ostream* out);
void PrintTo(WorkResult::End end, std::ostream* out);

}  // namespace kfdcts::harness
