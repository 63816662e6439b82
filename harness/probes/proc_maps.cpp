#include "harness/probes/proc_maps.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace kfdcts::harness {
namespace {

/// Cuts what `old` covers out of every region of `regions`.
std::vector<MappedRegion> Subtract(const std::vector<MappedRegion>& regions,
                                   const MappedRegion& old) {
  std::vector<MappedRegion> rest;
  for (const auto& region : regions) {
    if (old.name != region.name || old.end <= region.begin || old.begin >= region.end) {
      rest.push_back(region);
      continue;
    }
    if (old.begin > region.begin) {
      rest.push_back(region);
      rest.back().end = old.begin;
    }
    if (old.end < region.end) {
      rest.push_back(region);
      rest.back().begin = old.end;
      rest.back().offset += old.end - region.begin;
    }
  }
  return rest;
}

}  // namespace

std::vector<MappedRegion> ReadMaps(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error(file + ": cannot be read");
  std::vector<MappedRegion> regions;
  for (std::string line; std::getline(in, line);) {
    std::istringstream fields(line);
    MappedRegion region;
    std::string device;
    std::uint64_t inode = 0;
    char dash = 0;
    fields >> std::hex >> region.begin >> dash >> region.end >> region.permissions >>
        region.offset >> device >> std::dec >> inode;
    if (!fields || dash != '-') {
      throw std::runtime_error(std::string(file).append(": unknown line: ").append(line));
    }
    std::getline(fields >> std::ws, region.name);
    regions.push_back(std::move(region));
  }
  return regions;
}

std::vector<MappedRegion> NewRegions(const std::vector<MappedRegion>& before,
                                     const std::vector<MappedRegion>& after) {
  std::vector<MappedRegion> fresh;
  for (const auto& region : after) {
    std::vector<MappedRegion> rest{region};
    for (const auto& old : before) rest = Subtract(rest, old);
    fresh.insert(fresh.end(), rest.begin(), rest.end());
  }
  return fresh;
}

}  // namespace kfdcts::harness
