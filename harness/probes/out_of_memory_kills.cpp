#include "harness/probes/out_of_memory_kills.h"

#include <fstream>
#include <utility>

namespace kfdcts::harness {

OutOfMemoryKills::OutOfMemoryKills(std::string file) : file_(std::move(file)), before_(Read()) {}

bool OutOfMemoryKills::Any() const { return Read() > before_; }

std::uint64_t OutOfMemoryKills::Read() const {
  std::ifstream in(file_);
  std::string name;
  for (std::uint64_t value = 0; in >> name >> value;) {
    if (name == "oom_kill") return value;
  }
  return 0;
}

}  // namespace kfdcts::harness
