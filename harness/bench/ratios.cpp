#include "harness/bench/ratios.h"

#include <unistd.h>

#include <iomanip>

namespace kfdcts::bench {
namespace {

/// "set/one/100" of "set/one/100/manual_time".
std::string NameOf(const benchmark::BenchmarkReporter::Run& run) {
  return run.run_name.function_name;
}

void PrintCell(std::ostream& out, double numerator, double denominator) {
  out << std::setw(12) << std::fixed << std::setprecision(2) << numerator / denominator;
}

}  // namespace

Ratios::Ratios()
    : benchmark::ConsoleReporter(isatty(STDOUT_FILENO) == 1 ? OO_ColorTabular : OO_Tabular) {}

void Ratios::ReportRuns(const std::vector<Run>& reports) {
  ConsoleReporter::ReportRuns(reports);
  for (const Run& run : reports) {
    failed_ |= run.error_occurred;
    if (run.error_occurred || run.iterations == 0) continue;
    seconds_[NameOf(run)] = run.real_accumulated_time / static_cast<double>(run.iterations);
  }
}

void Ratios::Print(const std::vector<std::int64_t>& counts, std::ostream& out) const {
  out << "\nTime over that with " << counts.front() << " ranges, with\n" << std::setw(20) << "";
  for (const auto count : counts) out << std::setw(12) << count;
  for (const char* name : {"set/one", "get/one", "get/all"}) {
    out << "\n" << std::left << std::setw(20) << name << std::right;
    for (const auto count : counts) {
      const auto one = seconds_.find(std::string(name) + "/" + std::to_string(count));
      const auto first = seconds_.find(std::string(name) + "/" + std::to_string(counts.front()));
      if (one == seconds_.end() || first == seconds_.end()) continue;
      PrintCell(out, one->second, first->second);
    }
  }
  out << "\n\nThroughput over memcpy's\n";
  const auto memcpy_time = seconds_.find("migrate/memcpy");
  for (const char* name : {"migrate/to_gpu", "migrate/to_system"}) {
    const auto one = seconds_.find(name);
    if (one == seconds_.end() || memcpy_time == seconds_.end()) continue;
    out << std::left << std::setw(20) << name << std::right;
    PrintCell(out, memcpy_time->second, one->second);
    out << "\n";
  }
}

}  // namespace kfdcts::bench
