#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/probes/proc_maps.h"
#include "harness/thunk/thunk.h"

namespace kfdcts::harness {

/// What a process holds at one moment.
struct Holdings {
  std::map<int, std::string> descriptors;  ///< Number and what it leads to.
  std::set<pid_t> threads;
  std::map<pid_t, std::string> children;  ///< That run, and their names.
  std::vector<MappedRegion> mappings;     ///< Device and anonymous memory; no files, heap or stack.
  std::map<std::string, std::uint64_t> kfd_memory;  ///< "vram_4660" → bytes, of KFD's sysfs.
  std::optional<std::uint64_t> thunk_objects;
};

/// Compares what the process holds after a test with what it held before.
class LeakCheck {
 public:
  /// Takes the baseline. `thunk` may be null and must outlive this.
  explicit LeakCheck(const Thunk* thunk);

  /// One line for everything that is held now and was not then. Waits a moment for threads that
  /// were joined and whose task has not gone yet.
  std::vector<std::string> Leaks() const;

 private:
  const Thunk* thunk_;
  Holdings before_;
};

/// What this process holds now; thunk_objects where `thunk` tells.
Holdings TakeHoldings(const Thunk* thunk);

/// One line a difference.
std::vector<std::string> Compare(const Holdings& before, const Holdings& after);

/// For the environment of a process that checks leaks: has glibc take heap memory from one arena
/// and give back the stacks of ended threads, so that its caches are not seen as leaks. A value of
/// GLIBC_TUNABLES.
inline constexpr const char* kLeakCheckTunables =
    "glibc.malloc.arena_max=1:glibc.malloc.mmap_threshold=33554432:"
    "glibc.pthread.stack_cache_size=0";

}  // namespace kfdcts::harness
