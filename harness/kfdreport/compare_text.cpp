#include <array>
#include <string>

#include "harness/kfdreport/compare.h"
#include "harness/kfdreport/output.h"
#include "harness/kfdreport/text_report.h"

namespace kfdcts::report {
namespace {

const char* HeadingOf(Change change) {
  switch (change) {
    case Change::kRegression:
      return "New failures";
    case Change::kComplaint:
      return "The kernel complains now";
    case Change::kNewlySkipped:
      return "Newly skipped";
    case Change::kGone:
      return "No longer there";
    case Change::kFlake:
      return "Flaky";
    case Change::kStillBad:
      return "Still failing, in another way";
    case Change::kExpected:
      return "Fails as expected now";
    case Change::kFixed:
      return "Fixed";
    case Change::kNoLongerSkipped:
      return "No longer skipped";
    case Change::kOther:
      return "Otherwise changed";
    case Change::kNew:
      return "New tests";
    case Change::kSlower:
      return "Slower";
  }
  return "";
}

std::string Factor(double base, double patch) {
  if (base <= 0) return "";
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), " (%.1f×)", patch / base);
  return text.data();
}

void WriteDifference(std::ostream& out, const Difference& difference) {
  const Case& one = difference.patch != nullptr ? *difference.patch : *difference.base;
  out << "    " << Printable(one.FullName()) << ": ";
  if (difference.change == Change::kSlower) {
    const double before = difference.base->seconds;
    const double after = difference.patch->seconds;
    out << Milliseconds(before) << " s → " << Milliseconds(after) << " s, +"
        << Milliseconds(after - before) << " s" << Factor(before, after) << "\n";
    return;
  }
  if (difference.base != nullptr) out << NameOf(difference.base->verdict);
  if (difference.base != nullptr && difference.patch != nullptr) out << " → ";
  if (difference.patch != nullptr) out << NameOf(difference.patch->verdict);
  if (difference.base == nullptr && IsBad(one.verdict)) out << ", a new test";
  out << "\n";
  if (difference.patch != nullptr && !one.message.empty()) {
    out << "        " << Printable(one.message) << "\n";
  }
}

void WriteSide(std::ostream& out, const char* side, const Run* run) {
  if (run == nullptr) {
    out << side << " (none of that configuration)\n";
    return;
  }
  out << side << " " << HeadingOf(*run) << "\n"
      << "      " << CountsOf(*run) << "\n";
}

void WriteLonely(std::ostream& out, const Run& run) {
  for (const auto& one : run.cases) {
    if (!IsBad(one.verdict)) continue;
    WriteDifference(out, {Change::kRegression, nullptr, &one});
  }
}

void WritePair(std::ostream& out, const Pair& pair) {
  WriteSide(out, "BASE ", pair.base);
  WriteSide(out, "PATCH", pair.patch);
  if (pair.base == nullptr) return WriteLonely(out, *pair.patch);
  if (pair.patch == nullptr) return;
  if (pair.differences.empty()) out << "\n  No differences\n";
  for (auto first = pair.differences.begin(); first != pair.differences.end();) {
    auto end = first;
    while (end != pair.differences.end() && end->change == first->change) ++end;
    out << "\n  " << HeadingOf(first->change) << " (" << end - first << ")\n";
    for (; first != end; ++first) WriteDifference(out, *first);
  }
}

}  // namespace

void WriteComparison(std::ostream& out, const std::vector<Pair>& pairs,
                     const CompareOptions& options) {
  for (const auto& pair : pairs) {
    WritePair(out, pair);
    out << "\n";
  }
  out << (IsRegression(pairs, options) ? "Regression\n" : "No regression\n");
}

}  // namespace kfdcts::report
