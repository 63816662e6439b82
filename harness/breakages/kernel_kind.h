#pragma once

#include <filesystem>
#include <vector>

#include "harness/breakages/breakage.h"

namespace kfdcts::harness {

/// The faults that `file` lists (fixtures/breakages/kernel/faults.yaml). Throws FixtureError.
BreakageKind KernelBreakages(const std::filesystem::path& file);

/// The kernel that fixtures/breakages/kernel/build leaves in the cache folder.
std::filesystem::path BreakableKernel();

/// The only folder of lib/modules beside `image`; empty where there is none.
std::filesystem::path ModulesOf(const std::filesystem::path& image);

/// Throws UsageError where `image` is no unpacked kernel that knows every one of `breakages`: the
/// others would all be missed.
void CheckBreakableKernel(const std::filesystem::path& image,
                          const std::vector<Breakage>& breakages);

}  // namespace kfdcts::harness
