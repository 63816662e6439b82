#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <vector>

namespace kfdcts::bench {

/// Google Benchmark's table, whose times it keeps.
class Ratios : public benchmark::ConsoleReporter {
 public:
  /// In colours on a terminal.
  Ratios();

  void ReportRuns(const std::vector<Run>& reports) override;

  /// For each benchmark of ranges: time with each number over the time with the first. For
  /// migration: throughput over memcpy's.
  void Print(const std::vector<std::int64_t>& counts, std::ostream& out) const;

  bool AnyFailed() const { return failed_; }

 private:
  std::map<std::string, double> seconds_;  // of one turn, by name
  bool failed_ = false;
};

}  // namespace kfdcts::bench
