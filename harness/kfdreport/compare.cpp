#include "harness/kfdreport/compare.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>

namespace kfdcts::report {
namespace {

bool Passed(Verdict verdict) {
  return verdict == Verdict::kPass || verdict == Verdict::kWarn ||
         verdict == Verdict::kUnexpectedPass;
}

int Badness(Verdict verdict) {
  if (verdict == Verdict::kCrash) return 3;
  if (verdict == Verdict::kTimeout) return 2;
  return verdict == Verdict::kFail ? 1 : 0;
}

bool IsSlower(const Case& base, const Case& patch, const CompareOptions& options) {
  return patch.verdict != Verdict::kSkip && patch.seconds > base.seconds * options.slower_factor &&
         patch.seconds - base.seconds > options.slower_seconds;
}

/// Of verdicts that differ.
Change ChangeOf(Verdict base, Verdict patch) {
  if (base == Verdict::kFlake || patch == Verdict::kFlake) return Change::kFlake;
  if (Badness(patch) > Badness(base)) return Change::kRegression;
  if (IsBad(patch)) return Change::kStillBad;
  if (patch == Verdict::kSkip) return Change::kNewlySkipped;
  if (IsBad(base)) return Change::kFixed;
  if (patch == Verdict::kWarn) return Change::kComplaint;
  if (base == Verdict::kSkip) return Change::kNoLongerSkipped;
  if (patch == Verdict::kExpectedFail) return Change::kExpected;
  const bool was_wrong = base == Verdict::kExpectedFail || base == Verdict::kWarn;
  if (was_wrong && Passed(patch)) return Change::kFixed;
  return Change::kOther;
}

std::optional<Change> ChangeOf(const Case* base, const Case* patch, const CompareOptions& options) {
  if (patch == nullptr) return Change::kGone;
  if (base == nullptr) return IsBad(patch->verdict) ? Change::kRegression : Change::kNew;
  if (base->verdict != patch->verdict) return ChangeOf(base->verdict, patch->verdict);
  if (IsSlower(*base, *patch, options)) return Change::kSlower;
  return std::nullopt;
}

std::vector<Difference> DifferencesOf(const Run& base, const Run& patch,
                                      const CompareOptions& options) {
  std::unordered_map<std::string, const Case*> patched;
  for (const auto& one : patch.cases) patched.emplace(one.FullName(), &one);
  std::vector<Difference> differences;
  const auto judge = [&](const Case* before, const Case* after) {
    const auto change = ChangeOf(before, after, options);
    if (change) differences.push_back({*change, before, after});
  };
  for (const auto& one : base.cases) {
    const auto found = patched.find(one.FullName());
    judge(&one, found == patched.end() ? nullptr : found->second);
    if (found != patched.end()) patched.erase(found);
  }
  for (const auto& one : patch.cases) {
    if (patched.contains(one.FullName())) judge(nullptr, &one);
  }
  std::stable_sort(differences.begin(), differences.end(),
                   [](const auto& a, const auto& b) { return a.change < b.change; });
  return differences;
}

using KeyOf = std::function<std::string(const Run&)>;

std::string MachineOf(const Run& run) {
  return std::string(run.PropertyOf("machine")) + '\0' + std::string(run.PropertyOf("hostname"));
}

std::string MachineAndKernelOf(const Run& run) {
  return MachineOf(run) + '\0' + std::string(run.PropertyOf("kernel_release"));
}

/// Runs that have no partner yet.
class Pairing {
 public:
  Pairing(const std::vector<Run>& base, const std::vector<Run>& patch) {
    for (const auto& run : base) base_.push_back(&run);
    for (const auto& run : patch) patch_.push_back(&run);
  }

  void Take(const KeyOf& key_of, std::vector<Pair>& pairs) {
    for (const Run* run : std::vector<const Run*>(base_)) {
      const std::string key = key_of(*run);
      const auto same = [&](const Run* other) { return key_of(*other) == key; };
      const auto partner = std::find_if(patch_.begin(), patch_.end(), same);
      const bool only = std::count_if(patch_.begin(), patch_.end(), same) == 1 &&
                        std::count_if(base_.begin(), base_.end(), same) == 1;
      if (!only) continue;
      pairs.push_back({run, *partner, {}});
      patch_.erase(partner);
      std::erase(base_, run);
    }
  }

  void TakeRest(std::vector<Pair>& pairs) {
    for (const Run* run : base_) pairs.push_back({run, nullptr, {}});
    for (const Run* run : patch_) pairs.push_back({nullptr, run, {}});
  }

 private:
  std::vector<const Run*> base_;
  std::vector<const Run*> patch_;
};

}  // namespace

std::vector<Pair> Compare(const std::vector<Run>& base, const std::vector<Run>& patch,
                          const CompareOptions& options) {
  std::vector<Pair> pairs;
  Pairing pairing(base, patch);
  pairing.Take(ConfigurationOf, pairs);
  pairing.Take(MachineAndKernelOf, pairs);
  pairing.Take(MachineOf, pairs);
  pairing.Take([](const Run&) { return std::string(); }, pairs);
  pairing.TakeRest(pairs);
  for (auto& pair : pairs) {
    if (pair.base != nullptr && pair.patch != nullptr) {
      pair.differences = DifferencesOf(*pair.base, *pair.patch, options);
    }
  }
  return pairs;
}

bool IsRegression(const std::vector<Pair>& pairs, const CompareOptions& options) {
  std::set<Change> fatal = {Change::kRegression, Change::kComplaint};
  if (options.strict) fatal.insert({Change::kNewlySkipped, Change::kGone});
  return std::any_of(pairs.begin(), pairs.end(), [&](const Pair& pair) {
    if (pair.base == nullptr) {
      return std::any_of(pair.patch->cases.begin(), pair.patch->cases.end(),
                         [](const Case& one) { return IsBad(one.verdict); });
    }
    if (pair.patch == nullptr) return options.strict;
    return std::any_of(pair.differences.begin(), pair.differences.end(),
                       [&](const auto& difference) { return fatal.contains(difference.change); });
  });
}

}  // namespace kfdcts::report
