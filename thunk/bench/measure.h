#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace kfdcts::bench {

/// What one process measures of one library.
struct Measurement {
  std::string library;             ///< path
  std::filesystem::path folder;    ///< for the fake kernel's files; empty
  std::vector<std::size_t> sizes;  ///< objects in the books
  double seconds = 0.05;           ///< at least, a benchmark
  int repetitions = 2;
};

/// The best of a benchmark's repetitions; the others were disturbed.
struct Result {
  double cpu_ns = 0;     ///< of the processor an operation, also where the machine is busy
  double real_rate = 0;  ///< operations a second of the wall clock, of all threads
};

/// By the benchmark's name.
using Results = std::map<std::string, Result>;

/// Runs the benchmarks on a fake kernel of two GPUs and prints them. Throws std::runtime_error
/// where the library cannot be measured.
Results Measure(const Measurement& measurement);

/// Names of the benchmarks, which the table finds them by.
std::string QueryName(bool user_pointer, bool hit, std::size_t objects, int threads);
std::string CycleName(bool user_pointer, std::size_t objects);

}  // namespace kfdcts::bench
