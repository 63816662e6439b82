#include "harness/director/own_pasids.h"

#include <filesystem>
#include <fstream>
#include <string>

namespace kfdcts::harness {
namespace fs = std::filesystem;

std::set<std::uint16_t> OwnPasids(std::uint64_t render_minor) {
  const std::string node = "/dev/dri/renderD" + std::to_string(render_minor);
  std::set<std::uint16_t> pasids;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/proc/self/fd", error)) {
    std::error_code gone;
    if (fs::read_symlink(entry.path(), gone) != node) continue;
    std::ifstream info("/proc/self/fdinfo" / entry.path().filename());
    for (std::string key; info >> key;) {
      unsigned pasid = 0;
      if (key == "pasid:" && info >> pasid) pasids.insert(static_cast<std::uint16_t>(pasid));
    }
  }
  pasids.erase(0);
  return pasids;
}

}  // namespace kfdcts::harness
