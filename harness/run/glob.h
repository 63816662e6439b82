#pragma once

#include <string_view>

namespace kfdcts::harness {

/// Whether `text` matches a glob of '*' and '?'.
bool MatchesGlob(std::string_view glob, std::string_view text);

/// Whether gtest's --gtest_filter would choose the test: globs with ':' between them, and after a
/// '-' those that it must not match.
bool MatchesFilter(std::string_view filter, std::string_view test);

}  // namespace kfdcts::harness
