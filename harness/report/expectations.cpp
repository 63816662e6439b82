#include "harness/report/expectations.h"

#include <algorithm>

#include "harness/report/strict_yaml.h"

namespace kfdcts::harness {

bool GlobMatches(std::string_view glob, std::string_view text) {
  std::size_t in_glob = 0;
  std::size_t in_text = 0;
  auto star = std::string_view::npos;  // the last '*' and how much of the text it has eaten
  std::size_t eaten = 0;
  while (in_text < text.size()) {
    if (in_glob < glob.size() && glob[in_glob] == '*') {
      star = in_glob++;
      eaten = in_text;
    } else if (in_glob < glob.size() && (glob[in_glob] == '?' || glob[in_glob] == text[in_text])) {
      ++in_glob;
      ++in_text;
    } else if (star != std::string_view::npos) {
      in_glob = star + 1;
      in_text = ++eaten;
    } else {
      return false;
    }
  }
  return glob.find_first_not_of('*', in_glob) == std::string_view::npos;
}

namespace {

/// "true" or "false", which is also what an absent key means.
bool IsYes(const StrictMapping& entry, std::string_view key) {
  const std::string word = entry.Text(key, "false");
  if (word != "true" && word != "false") throw entry.Error(key, "is neither true nor false");
  return word == "true";
}

}  // namespace

bool Expectation::Applies(std::string_view test, const RunInfo& run) const {
  return GlobMatches(pattern, test) && GlobMatches(machine, run.machine) &&
         GlobMatches(kernel, run.kernel_release) && GlobMatches(thunk, run.thunk_identity);
}

void Expectations::Load(const std::filesystem::path& file) {
  const auto root = StrictMapping::Load(file, {"expected_failures", "device_findings"});
  for (const auto& entry : root.Elements(
           "expected_failures", {"pattern", "machine", "kernel", "thunk", "cause", "crashes"})) {
    list_.push_back({entry.Text("pattern"), entry.Text("machine", "*"), entry.Text("kernel", "*"),
                     entry.Text("thunk", "*"), entry.Text("cause"), IsYes(entry, "crashes")});
  }
  if (!root.Has("device_findings")) return;
  for (const auto& entry :
       root.Elements("device_findings", {"kind", "pattern", "machine", "kernel", "cause"})) {
    findings_.push_back({entry.Text("kind"), entry.Text("pattern", "*"), entry.Text("machine", "*"),
                         entry.Text("kernel", "*"), entry.Text("cause")});
  }
}

void Expectations::LoadFolder(const std::filesystem::path& folder) {
  if (!std::filesystem::exists(folder)) return;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const auto& file : files) Load(file);
}

const Expectation* Expectations::Find(std::string_view test, const RunInfo& run) const {
  const auto found = std::find_if(list_.begin(), list_.end(), [&](const Expectation& entry) {
    return entry.Applies(test, run);
  });
  return found == list_.end() ? nullptr : &*found;
}

const ExpectedFinding* Expectations::FindFinding(std::string_view kind, std::string_view test,
                                                 const RunInfo& run) const {
  const auto found = std::find_if(findings_.begin(), findings_.end(), [&](const auto& entry) {
    return entry.kind == kind && GlobMatches(entry.pattern, test) &&
           GlobMatches(entry.machine, run.machine) && GlobMatches(entry.kernel, run.kernel_release);
  });
  return found == findings_.end() ? nullptr : &*found;
}

}  // namespace kfdcts::harness
