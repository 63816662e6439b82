#include "harness/kfdreport/ktap_report.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "harness/kfdreport/output.h"

namespace kfdcts::report {
namespace {

/// How the tests below one came out.
struct Outcome {
  bool failed = false;
  bool ran = false;  ///< One of them was not skipped.

  void Add(const Outcome& other) {
    failed = failed || other.failed;
    ran = ran || other.ran;
  }
};

std::string Name(std::string_view text) {
  std::string name = Printable(text);
  std::replace(name.begin(), name.end(), '#', '_');
  const auto begin = name.find_first_not_of(' ');
  return begin == std::string::npos ? "(unnamed)" : name.substr(begin);
}

/// Writes tests of one level; each level is two spaces deeper.
class Level {
 public:
  Level(std::ostream& out, int depth, std::size_t tests)
      : out_(out), indent_(static_cast<std::size_t>(depth) * 2, ' ') {
    out_ << indent_ << "KTAP version 1\n" << indent_ << "1.." << tests << "\n";
  }

  /// A parser must not take what a test printed for a line of ours: it stands behind "#   ".
  void Diagnostic(std::string_view text) {
    while (!text.empty()) {
      const auto end = text.find('\n');
      const std::string line = Printable(text.substr(0, end));
      out_ << indent_ << (line.empty() ? "#" : "#   " + line) << "\n";
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
  }

  void Result(bool ok, std::string_view name, std::string_view directive = {},
              std::string_view reason = {}) {
    out_ << indent_ << (ok ? "ok " : "not ok ") << ++number_ << " " << Name(name);
    if (!directive.empty()) out_ << " # " << directive;
    if (!directive.empty() && !reason.empty()) {
      out_ << " " << Printable(reason.substr(0, reason.find('\n')));
    }
    out_ << "\n";
  }

  void Parent(const Outcome& outcome, std::string_view name) {
    const bool skipped = !outcome.ran && !outcome.failed;
    Result(!outcome.failed, name, skipped ? "SKIP" : "", skipped ? "all of it was skipped" : "");
  }

 private:
  std::ostream& out_;
  std::string indent_;
  int number_ = 0;
};

void WriteDiagnostics(Level& level, const Case& one) {
  const bool tells = IsBad(one.verdict) || one.verdict == Verdict::kFlake ||
                     one.verdict == Verdict::kWarn || one.verdict == Verdict::kUnexpectedPass;
  if (!tells) return;
  const std::string_view verdict = NameOf(one.verdict);
  level.Diagnostic(std::string(verdict) + (one.message.empty() ? "" : ": " + one.message));
  for (const auto* property : {"flake", "unexpected_pass"}) {
    const std::string_view value = one.PropertyOf(property);
    if (!value.empty() && value != one.message) {
      level.Diagnostic("property " + std::string(property) + ": " + std::string(value));
    }
  }
  if (one.details != one.message) level.Diagnostic(one.details);
  if (!one.kernel_log.empty()) {
    level.Diagnostic("kernel log:");
    level.Diagnostic(one.kernel_log);
  }
}

Outcome WriteCase(Level& level, const Case& one) {
  WriteDiagnostics(level, one);
  switch (one.verdict) {
    case Verdict::kSkip:
      level.Result(true, one.name, "SKIP", one.message);
      break;
    case Verdict::kExpectedFail:
      level.Result(true, one.name, "XFAIL", one.message);
      break;
    case Verdict::kTimeout:
      level.Result(false, one.name, "TIMEOUT", one.message);
      break;
    case Verdict::kCrash:
      level.Result(false, one.name, "ERROR", one.message);
      break;
    default:
      level.Result(!IsBad(one.verdict), one.name);
  }
  return {IsBad(one.verdict), one.verdict != Verdict::kSkip};
}

Outcome WriteSuites(std::ostream& out, const Run& run, int depth) {
  const auto suites = BySuite(run);
  Level level(out, depth, suites.size());
  Outcome all;
  for (const auto& cases : suites) {
    Level inner(out, depth + 1, cases.size());
    Outcome outcome;
    for (const Case* one : cases) outcome.Add(WriteCase(inner, *one));
    level.Parent(outcome, cases.front()->suite);
    all.Add(outcome);
  }
  return all;
}

}  // namespace

void WriteKtap(std::ostream& out, const std::vector<Run>& runs) {
  if (runs.size() == 1) {
    WriteSuites(out, runs.front(), 0);
    return;
  }
  Level level(out, 0, runs.size());
  for (const auto& run : runs) level.Parent(WriteSuites(out, run, 1), run.Title());
}

}  // namespace kfdcts::report
