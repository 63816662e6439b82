#include "harness/kfdreport/report.h"

#include <algorithm>
#include <unordered_map>

namespace kfdcts::report {

bool IsBad(Verdict verdict) {
  return verdict == Verdict::kFail || verdict == Verdict::kCrash || verdict == Verdict::kTimeout;
}

std::string_view NameOf(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPass:
      return "pass";
    case Verdict::kFail:
      return "fail";
    case Verdict::kCrash:
      return "crash";
    case Verdict::kTimeout:
      return "timeout";
    case Verdict::kSkip:
      return "skip";
    case Verdict::kExpectedFail:
      return "expected-fail";
    case Verdict::kUnexpectedPass:
      return "unexpected-pass";
    case Verdict::kFlake:
      return "flake";
    case Verdict::kWarn:
      return "warn";
  }
  return "fail";
}

std::string_view Case::PropertyOf(std::string_view property) const {
  const auto found = std::find_if(properties.begin(), properties.end(),
                                  [&](const Property& entry) { return entry.first == property; });
  return found == properties.end() ? std::string_view() : std::string_view(found->second);
}

std::string_view Run::PropertyOf(std::string_view property) const {
  const auto found = properties.find(std::string(property));
  return found == properties.end() ? std::string_view() : std::string_view(found->second);
}

std::string Run::Title() const {
  std::string title(PropertyOf("machine"));
  if (title.empty()) title = PropertyOf("hostname");
  const auto add = [&](std::string_view word, std::string_view value) {
    if (value.empty()) return;
    if (!title.empty()) title += ", ";
    title += word;
    title += value;
  };
  add("kernel ", PropertyOf("kernel_release"));
  // Its name; soname and build id come after a comma.
  const std::string_view thunk = PropertyOf("thunk");
  add("thunk ", thunk.substr(0, thunk.find(',')));
  return title.empty() ? file : title;
}

std::vector<std::vector<const Case*>> BySuite(const Run& run) {
  std::vector<std::vector<const Case*>> suites;
  std::unordered_map<std::string_view, std::size_t> index;
  for (const auto& one : run.cases) {
    const auto [known, is_new] = index.try_emplace(one.suite, suites.size());
    if (is_new) suites.emplace_back();
    suites[known->second].push_back(&one);
  }
  return suites;
}

std::string ConfigurationOf(const Run& run) {
  std::string key;
  const auto add = [&](std::string_view value) { key.append(value).push_back('\0'); };
  for (const auto* name : {"machine", "hostname", "kernel", "kernel_release", "thunk"}) {
    add(run.PropertyOf(name));
  }
  // A described machine has what its description says; "host" is whatever stands there.
  if (run.PropertyOf("target") != "vm") {
    for (auto gpu = run.properties.lower_bound("gpu");
         gpu != run.properties.end() && gpu->first.starts_with("gpu"); ++gpu) {
      add(gpu->second);
    }
  }
  return key;
}

}  // namespace kfdcts::report
