#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "harness/gpu/unique_fd.h"

namespace kfdcts::suites {

/// A process that looks into this one as a debugger does. Made before the memory that it will look
/// at, so that it holds no copy of it.
class PtraceReader {
 public:
  /// Throws std::system_error.
  PtraceReader();
  ~PtraceReader();
  PtraceReader(const PtraceReader&) = delete;
  PtraceReader& operator=(const PtraceReader&) = delete;

  /// PTRACE_PEEKDATA of the 64 bits at `address` while the calling thread is stopped. Throws
  /// std::system_error with what the kernel answered.
  std::uint64_t Peek(const void* address);

 private:
  gpu::UniqueFd channel_;
  pid_t pid_ = -1;
};

}  // namespace kfdcts::suites
