#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/test_support/kfd_session.h"
#include "harness/thunk/thunk.h"

namespace kfdcts::bench {

/// What is measured on.
struct Subject {
  const harness::ThunkApi& thunk;
  const harness::GpuNode& gpu;  ///< With KFD open.
};

/// Registers, for each number of ranges that the process has: "set/one/N" changes an attribute of
/// one of them, "get/one/N" asks about one, "get/all/N" about the memory of all. References live as
/// long as the benchmarks.
void RegisterRanges(const Subject& subject, const std::vector<std::int64_t>& counts);

/// "migrate/to_gpu", "migrate/to_system" and, for comparison, "migrate/memcpy" of so many bytes.
void RegisterMigration(const Subject& subject, std::size_t bytes);

}  // namespace kfdcts::bench
