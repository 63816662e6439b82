#include "harness/report/expectations.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <initializer_list>

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

using Kind = Expectation::Kind;
constexpr std::array kKinds = {Kind::kFails, Kind::kFlakes, Kind::kSkips};

std::initializer_list<std::string_view> KeysOf(Kind kind) {
  static const std::initializer_list<std::string_view> fails = {
      "pattern", "machine", "kernel", "thunk", "cause", "seen", "crashes", "hangs"};
  static const std::initializer_list<std::string_view> flakes = {
      "pattern", "machine", "kernel", "thunk", "cause", "seen", "crashes", "hangs", "rate"};
  static const std::initializer_list<std::string_view> skips = {"pattern", "machine", "kernel",
                                                                "thunk",   "cause",   "seen"};
  switch (kind) {
    case Kind::kFails:
      return fails;
    case Kind::kFlakes:
      return flakes;
    case Kind::kSkips:
      return skips;
  }
  return skips;
}

/// Each says of what, and what the entry's own glob lets through.
std::vector<std::string> Seen(const StrictMapping& entry, const Expectation& expectation) {
  if (!entry.Has("seen")) return {};
  auto seen = entry.Words("seen");
  if (seen.empty()) throw entry.Error("seen", "names no version");
  for (const auto& one : seen) {
    const auto blank = std::min(one.find(' '), one.size());
    const std::string what = one.substr(0, blank);
    const std::string version = one.substr(std::min(blank + 1, one.size()));
    if ((what != "kernel" && what != "thunk") || version.empty()) {
      throw entry.Error("seen",
                        "\"" + one + "\" is neither \"kernel VERSION\" nor " + "\"thunk VERSION\"");
    }
    const std::string& glob = what == "kernel" ? expectation.kernel : expectation.thunk;
    if (!GlobMatches(glob, version)) {
      throw entry.Error("seen", "\"" + one + "\" is not among " + what + ": " + glob);
    }
  }
  return seen;
}

double Rate(const StrictMapping& entry) {
  if (!entry.Has("rate")) return 0;
  const auto rate = ParseRate(entry.Text("rate"));
  if (!rate) throw entry.Error("rate", "is neither \"1 of 20\" nor a number between 0 and 1");
  return *rate;
}

Expectation Read(const StrictMapping& entry, Kind kind) {
  Expectation expectation;
  expectation.kind = kind;
  expectation.pattern = entry.Text("pattern");
  expectation.machine = entry.Text("machine", "*");
  expectation.kernel = entry.Text("kernel", "*");
  expectation.thunk = entry.Text("thunk", "*");
  expectation.cause = entry.Text("cause");
  expectation.crashes = IsYes(entry, "crashes");
  expectation.hangs = IsYes(entry, "hangs");
  if (kind == Kind::kFlakes) expectation.rate = Rate(entry);
  expectation.seen = Seen(entry, expectation);
  return expectation;
}

/// All of `text` as a number.
std::optional<double> Number(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

std::string_view NameOf(Expectation::Kind kind) {
  switch (kind) {
    case Kind::kFails:
      return "fails";
    case Kind::kFlakes:
      return "flakes";
    case Kind::kSkips:
      return "skips";
  }
  return "";
}

std::optional<double> ParseRate(std::string_view text) {
  constexpr std::string_view kOf = " of ";
  const auto of = text.find(kOf);
  auto rate = Number(text.substr(0, std::min(of, text.size())));
  if (rate && of != std::string_view::npos) {
    const auto whole = Number(text.substr(of + kOf.size()));
    if (!whole || *rate != std::floor(*rate) || *whole != std::floor(*whole)) return std::nullopt;
    *rate /= *whole;
  }
  if (!rate || !(*rate > 0 && *rate < 1)) return std::nullopt;
  return rate;
}

bool Expectation::Applies(std::string_view test, const RunInfo& run) const {
  return GlobMatches(pattern, test) && GlobMatches(machine, run.machine) &&
         GlobMatches(kernel, run.kernel_release) && GlobMatches(thunk, run.thunk_identity);
}

void Expectations::Load(const std::filesystem::path& file) {
  const auto root = StrictMapping::Load(file, {"fails", "flakes", "skips", "device_findings"});
  for (const auto kind : kKinds) {
    if (!root.Has(NameOf(kind))) continue;
    for (const auto& entry : root.Elements(NameOf(kind), KeysOf(kind))) {
      list_.push_back(Read(entry, kind));
      list_.back().place = file.string() + ":" + std::to_string(entry.Line());
    }
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

const Expectation* Expectations::FindOf(Expectation::Kind kind, std::string_view test,
                                        const RunInfo& run) const {
  const auto found = std::find_if(list_.begin(), list_.end(), [&](const Expectation& entry) {
    return entry.kind == kind && entry.Applies(test, run);
  });
  return found == list_.end() ? nullptr : &*found;
}

const Expectation* Expectations::Find(std::string_view test, const RunInfo& run) const {
  const auto* flake = FindOf(Expectation::Kind::kFlakes, test, run);
  return flake != nullptr ? flake : FindOf(Expectation::Kind::kFails, test, run);
}

const Expectation* Expectations::FindSkip(std::string_view test, const RunInfo& run) const {
  return FindOf(Expectation::Kind::kSkips, test, run);
}

void Expectations::Expect(TestRecord& record, const RunInfo& run) const {
  const auto* expected = Find(record.FullName(), run);
  if (expected == nullptr) return;
  record.expected_cause = expected->cause;
  record.expected_flake = expected->kind == Expectation::Kind::kFlakes;
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
