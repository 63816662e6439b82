#include "harness/kfdreport/text_report.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>

#include "harness/kfdreport/output.h"

namespace kfdcts::report {
namespace {

struct Kind {
  Verdict verdict;
  const char* counted;  ///< "3 …" of the counts.
  const char* heading;  ///< Of its list; null where there is none.
};

constexpr std::array<Kind, 9> kKinds = {{
    {Verdict::kPass, "passed", nullptr},
    {Verdict::kCrash, "crashed", "Crashed"},
    {Verdict::kTimeout, "timed out", "Timed out"},
    {Verdict::kFail, "failed", "Failed"},
    {Verdict::kFlake, "flaky", "Flaky"},
    {Verdict::kWarn, "passed with a complaint of the kernel", "The kernel complained"},
    {Verdict::kUnexpectedPass, "passed unexpectedly", "Passed unexpectedly"},
    {Verdict::kExpectedFail, "failed as expected", nullptr},
    {Verdict::kSkip, "skipped", nullptr},
}};

void WriteCase(std::ostream& out, const Case& one) {
  out << "    " << Printable(one.FullName());
  for (const auto& rule : one.rules) out << " [" << Printable(rule) << "]";
  for (const auto& bug : one.bugs) out << " [" << Printable(bug) << "]";
  out << "\n";
  if (!one.message.empty()) out << "        " << Printable(one.message) << "\n";
  const auto flake = one.PropertyOf("flake");
  if (!flake.empty() && flake != one.message) out << "        runs: " << Printable(flake) << "\n";
  const auto cause = one.PropertyOf("unexpected_pass");
  if (!cause.empty()) out << "        listed as failing: " << Printable(cause) << "\n";
}

void WriteSkips(std::ostream& out, const Run& run) {
  std::map<std::string, int> reasons;
  for (const auto& one : run.cases) {
    if (one.verdict == Verdict::kSkip) ++reasons[one.message];
  }
  if (reasons.empty()) return;
  out << "\n  Skipped, by reason\n";
  for (const auto& [reason, count] : reasons) {
    out << "    " << count << " × " << (reason.empty() ? "(none given)" : Printable(reason))
        << "\n";
  }
}

void WriteSlowest(std::ostream& out, const Run& run, std::size_t slowest) {
  std::vector<const Case*> order;
  for (const auto& one : run.cases) {
    if (one.seconds > 0) order.push_back(&one);
  }
  const auto count = static_cast<std::ptrdiff_t>(std::min(slowest, order.size()));
  if (count == 0) return;
  std::partial_sort(order.begin(), order.begin() + count, order.end(),
                    [](const Case* a, const Case* b) {
                      if (a->seconds != b->seconds) return a->seconds > b->seconds;
                      return a->FullName() < b->FullName();
                    });
  out << "\n  Slowest\n";
  for (auto entry = order.begin(); entry != order.begin() + count; ++entry) {
    const std::string time = Milliseconds((*entry)->seconds);
    out << "    " << std::string(time.size() < 9 ? 9 - time.size() : 0, ' ') << time << " s  "
        << Printable((*entry)->FullName()) << "\n";
  }
}

void WriteRun(std::ostream& out, const Run& run, std::size_t slowest) {
  out << HeadingOf(run) << "\n";
  out << "  " << CountsOf(run) << "\n";
  for (const auto& kind : kKinds) {
    if (kind.heading == nullptr) continue;
    bool headed = false;
    for (const auto& one : run.cases) {
      if (one.verdict != kind.verdict) continue;
      if (!headed) out << "\n  " << kind.heading << "\n";
      headed = true;
      WriteCase(out, one);
    }
  }
  WriteSkips(out, run);
  WriteSlowest(out, run, slowest);
}

}  // namespace

std::string HeadingOf(const Run& run) {
  const std::string title = run.Title();
  return Printable(title == run.file ? title : title + " (" + run.file + ")");
}

std::string CountsOf(const Run& run) {
  std::map<Verdict, std::size_t> counts;
  for (const auto& one : run.cases) ++counts[one.verdict];
  std::string text = std::to_string(run.cases.size()) + " tests: ";
  for (const auto& kind : kKinds) {
    const bool always = kind.verdict == Verdict::kPass || kind.verdict == Verdict::kFail;
    if (counts[kind.verdict] == 0 && !always) continue;
    text += std::to_string(counts[kind.verdict]) + " " + kind.counted + ", ";
  }
  const double seconds =
      std::accumulate(run.cases.begin(), run.cases.end(), 0.0,
                      [](double sum, const Case& one) { return sum + one.seconds; });
  return text + Milliseconds(seconds) + " s";
}

void WriteText(std::ostream& out, const std::vector<Run>& runs, std::size_t slowest) {
  bool first = true;
  for (const auto& run : runs) {
    if (!first) out << "\n";
    first = false;
    WriteRun(out, run, slowest);
  }
}

}  // namespace kfdcts::report
