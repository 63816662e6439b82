#include "harness/vgpu/test/transport/memfd.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace kfdcts::vgpu {

std::size_t OpenFds() {
  const std::filesystem::directory_iterator entries("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
}

std::size_t GuestMappings() {
  std::ifstream maps("/proc/self/maps");
  std::size_t found = 0;
  for (std::string line; std::getline(maps, line);) {
    found += line.find("/memfd:guest") != std::string::npos ? 1 : 0;
  }
  return found;
}

}  // namespace kfdcts::vgpu
