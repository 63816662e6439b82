#pragma once

#include <filesystem>

#include "harness/breakages/breakage.h"

namespace kfdcts::harness {

/// The faults of the bundled thunk (thunk/src/fault/faults.inc).
BreakageKind ThunkBreakages();

/// The library that has them, as the build leaves it beside this program.
std::filesystem::path BreakableThunk();

/// Throws ThunkError where `library` does not know every one of `breakages`: each would be missed,
/// or be taken for caught, since a library ends a process that asks it for what it does not know.
void CheckBreakable(const std::filesystem::path& library, const std::vector<Breakage>& breakages);

}  // namespace kfdcts::harness
