#pragma once

#include <iosfwd>
#include <vector>

#include "thunk/bench/measure.h"

namespace kfdcts::bench {

/// A line a benchmark: processor time of an operation of either library, how many times as fast
/// ours is, and the throughput of two readers over that of one.
void PrintTable(std::ostream& out, const std::vector<std::size_t>& sizes, const Results& theirs,
                const Results& ours);

}  // namespace kfdcts::bench
