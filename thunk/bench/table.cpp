#include "thunk/bench/table.h"

#include <cstdio>
#include <ostream>
#include <string>

namespace kfdcts::bench {
namespace {

/// Zeros where it was not measured.
Result Of(const Results& results, const std::string& name) {
  const auto found = results.find(name);
  return found == results.end() ? Result{} : found->second;
}

std::string Number(double numerator, double denominator, const char* format) {
  if (numerator == 0 || denominator == 0) return "-";
  char text[32];
  std::snprintf(text, sizeof text, format, numerator / denominator);
  return text;
}

void PrintRow(std::ostream& out, const std::string& what, const std::string& theirs,
              const std::string& ours, const std::string& ratio, const std::string& theirs_by_2,
              const std::string& ours_by_2) {
  char line[160];
  std::snprintf(line, sizeof line, "%-30s %14s %14s %10s %12s %12s\n", what.c_str(), theirs.c_str(),
                ours.c_str(), ratio.c_str(), theirs_by_2.c_str(), ours_by_2.c_str());
  out << line;
}

void PrintOne(std::ostream& out, const std::string& name, const std::string& by_2,
              const Results& theirs, const Results& ours) {
  const Result they = Of(theirs, name);
  const Result we = Of(ours, name);
  PrintRow(out, name, Number(they.cpu_ns, 1, "%.0f"), Number(we.cpu_ns, 1, "%.0f"),
           Number(they.cpu_ns, we.cpu_ns, "%.2f"),
           by_2.empty() ? "" : Number(Of(theirs, by_2).real_rate, they.real_rate, "%.2f"),
           by_2.empty() ? "" : Number(Of(ours, by_2).real_rate, we.real_rate, "%.2f"));
}

}  // namespace

void PrintTable(std::ostream& out, const std::vector<std::size_t>& sizes, const Results& theirs,
                const Results& ours) {
  PrintRow(out, "", "theirs, CPU ns", "ours, CPU ns", "ours are", "theirs: two", "ours: two");
  PrintRow(out, "objects last", "an operation", "an operation", "faster, x", "threads, x",
           "threads, x");
  for (const bool user : {false, true}) {
    for (const bool hit : {true, false})
      for (const std::size_t size : sizes)
        PrintOne(out, QueryName(user, hit, size, 1), QueryName(user, hit, size, 2), theirs, ours);
    for (const std::size_t size : sizes) PrintOne(out, CycleName(user, size), "", theirs, ours);
  }
}

}  // namespace kfdcts::bench
