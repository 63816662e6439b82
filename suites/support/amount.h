#pragma once

#include <cstdint>

namespace kfdcts::suites {

/// How much of a test is done: the environment's number where it has one, else `ordinary`. Throws
/// std::runtime_error for what is no number above 0.
std::uint64_t Amount(const char* variable, std::uint64_t ordinary);

}  // namespace kfdcts::suites
