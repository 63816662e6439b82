#pragma once

#include <cstdint>
#include <string>

namespace kfdcts::harness {

/// Whether the kernel has killed a process for memory since this was made, in this machine or
/// container (oom_kill of /proc/vmstat).
class OutOfMemoryKills {
 public:
  explicit OutOfMemoryKills(std::string file = "/proc/vmstat");

  bool Any() const;

 private:
  std::uint64_t Read() const;

  std::string file_;
  std::uint64_t before_;
};

}  // namespace kfdcts::harness
