#include "harness/run/kernel_log_filter.h"

#include <algorithm>

#include "harness/report/strict_yaml.h"
#include "harness/run/glob.h"

namespace kfdcts::harness {
namespace {

using Verdict = KernelLogRule::Verdict;

/// Longer ones are no reports of the kernel's, and std::regex recurses.
constexpr std::size_t kLineLimit = 1000;

Verdict VerdictOf(const StrictMapping& entry) {
  const std::string word = entry.Text("verdict");
  if (word == "ignore") return Verdict::kIgnore;
  if (word == "warn") return Verdict::kWarn;
  if (word == "fail") return Verdict::kFail;
  throw entry.Error("verdict", "\"" + word + "\" is none of ignore, warn and fail");
}

std::regex PatternOf(const StrictMapping& entry) {
  try {
    return std::regex(entry.Text("pattern"), std::regex::ECMAScript | std::regex::optimize);
  } catch (const std::regex_error& error) {
    throw entry.Error("pattern", std::string("is no regular expression: ") + error.what());
  }
}

}  // namespace

KernelLogFilter KernelLogFilter::Load(const std::filesystem::path& file) {
  KernelLogFilter filter;
  const auto root = StrictMapping::Load(file, {"lines"});
  for (const auto& entry : root.Elements(
           "lines", {"kind", "pattern", "verdict", "test", "machine", "kernel", "cause"})) {
    filter.rules_.push_back({entry.Word("kind"), PatternOf(entry), VerdictOf(entry),
                             entry.Text("test", "*"), entry.Text("machine", "*"),
                             entry.Text("kernel", "*"), entry.Text("cause")});
  }
  return filter;
}

const KernelLogRule* KernelLogFilter::Find(std::string_view line, const Place& place) const {
  line = line.substr(0, kLineLimit);
  const auto found = std::find_if(rules_.begin(), rules_.end(), [&](const KernelLogRule& rule) {
    return MatchesGlob(rule.test, place.test) && MatchesGlob(rule.machine, place.machine) &&
           MatchesGlob(rule.kernel, place.kernel) &&
           std::regex_search(line.begin(), line.end(), rule.pattern);
  });
  return found == rules_.end() ? nullptr : &*found;
}

std::set<std::string> KernelLogFilter::Kinds() const {
  std::set<std::string> kinds;
  for (const auto& rule : rules_) kinds.insert(rule.kind);
  return kinds;
}

}  // namespace kfdcts::harness
