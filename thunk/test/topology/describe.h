#pragma once

#include <string>
#include <vector>

#include "thunk/src/topology/properties.h"

namespace kfdcts::thunk::test {

/// What a program built against libhsakmt 5.2.3 gets of a topology, a property or a part a line, in
/// the form of data/*.libhsakmt-5.2.3. `around` are the GPUs' surroundings.
std::vector<std::string> DescribeAsIn2022(const Topology& topology, const NodeSurroundings& around);

}  // namespace kfdcts::thunk::test
