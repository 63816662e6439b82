#include "harness/run/glob.h"

#include <algorithm>

namespace kfdcts::harness {
namespace {

bool MatchesAny(std::string_view globs, std::string_view text) {
  while (!globs.empty()) {
    const auto end = std::min(globs.find(':'), globs.size());
    if (MatchesGlob(globs.substr(0, end), text)) return true;
    globs.remove_prefix(std::min(end + 1, globs.size()));
  }
  return false;
}

}  // namespace

bool MatchesGlob(std::string_view glob, std::string_view text) {
  if (glob.empty()) return text.empty();
  if (glob.front() == '*') {
    return MatchesGlob(glob.substr(1), text) ||
           (!text.empty() && MatchesGlob(glob, text.substr(1)));
  }
  return !text.empty() && (glob.front() == '?' || glob.front() == text.front()) &&
         MatchesGlob(glob.substr(1), text.substr(1));
}

bool MatchesFilter(std::string_view filter, std::string_view test) {
  const auto dash = std::min(filter.find('-'), filter.size());
  const std::string_view wanted = filter.substr(0, dash);
  const std::string_view unwanted = filter.substr(std::min(dash + 1, filter.size()));
  return (wanted.empty() || MatchesAny(wanted, test)) && !MatchesAny(unwanted, test);
}

}  // namespace kfdcts::harness
