#pragma once

#include <cstdint>
#include <set>

namespace kfdcts::harness {

/// The PASIDs of the render node's address spaces that this process has open, from
/// /proc/self/fdinfo ("pasid:", amdgpu). One of them is KFD's.
std::set<std::uint16_t> OwnPasids(std::uint64_t render_minor);

}  // namespace kfdcts::harness
