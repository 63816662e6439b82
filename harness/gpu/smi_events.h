#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "harness/gpu/gpu.h"
#include "harness/gpu/wait.h"

namespace kfdcts::gpu {

/// One line of KFD's system management events (kernel: kfd_smi_events.c). What an event does not
/// have is 0.
struct SmiEvent {
  std::uint32_t type = 0;     ///< KFD_SMI_EVENT_*.
  std::uint32_t process = 0;  ///< Process id.
  std::uint64_t address = 0;  ///< In bytes.
  std::uint64_t bytes = 0;
  std::uint32_t from = 0, to = 0;  ///< Migrations: gpu_id or 0 for system memory.
  std::uint32_t node = 0;          ///< Others: gpu_id.
  std::uint32_t trigger =
      0;  ///< KFD_MIGRATE_TRIGGER_*, KFD_QUEUE_EVICTION_TRIGGER_*, KFD_SVM_UNMAP_TRIGGER_*.
  char access = 0;   ///< Page faults: 'R' or 'W' at the start, 'M' or 'U' at the end. Queue
                     ///< restores: 'R' where it is put off, '0' where not.
  std::string text;  ///< The line.
};

/// Nothing for a line that has not the form of its type.
std::optional<SmiEvent> ParseSmiEvent(std::string_view line);

/// The events of one GPU that this process may see (its own; all with CAP_SYS_ADMIN).
class SmiEvents {
 public:
  /// `types` is an or of KFD_SMI_EVENT_MASK_FROM_INDEX. Throws GpuError.
  SmiEvents(Gpu& gpu, std::uint64_t types);
  /// The same on a stream that is open already.
  SmiEvents(UniqueFd stream, std::uint64_t types);

  /// The next one; nothing where none came before the deadline. Throws GpuError or, for a line that
  /// cannot be read, std::runtime_error.
  std::optional<SmiEvent> Next(const Deadline& deadline = Deadline(kGpuTimeout));

  /// The next one of this type; the others are dropped.
  std::optional<SmiEvent> NextOf(std::uint32_t type,
                                 const Deadline& deadline = Deadline(kGpuTimeout));

 private:
  UniqueFd fd_;
  std::string pending_;
};

}  // namespace kfdcts::gpu
