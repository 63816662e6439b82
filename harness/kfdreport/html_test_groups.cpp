#include "harness/kfdreport/html_test_groups.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace kfdcts::report::html {

std::vector<TestGroup> GroupTests(const Run& run, const std::vector<const Case*>& cases) {
  std::vector<TestGroup> groups;
  std::map<std::tuple<std::string, std::string, Verdict>, std::size_t> places;
  for (const Case* one : cases) {
    const std::size_t slash = one->name.rfind('/');
    const std::string name = one->name.substr(0, slash);
    const auto [place, is_new] =
        places.emplace(std::tuple(one->suite, name, one->verdict), groups.size());
    if (is_new) groups.push_back({&run, one, name, {}, 0, 0});
    auto& group = groups[place->second];
    if (slash != std::string::npos) group.variants.push_back(one->name.substr(slash + 1));
    ++group.cases;
    if (std::isfinite(one->seconds)) group.seconds += one->seconds;
  }
  return groups;
}

std::string VariantText(const TestGroup& group, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < std::min(most, group.variants.size()); ++i) {
    text += (i == 0 ? "" : " ") + group.variants[i];
  }
  const std::size_t shown = std::min(most, group.variants.size());
  if (group.cases > std::max<std::size_t>(shown, 1)) {
    text += (text.empty() ? "" : " ") + std::string("+") + std::to_string(group.cases - shown);
  }
  return text;
}

}  // namespace kfdcts::report::html
