// bench_svm: what calls about shared virtual memory and migration cost on the kernel in use.
#include <benchmark/benchmark.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>

#include "harness/bench/measure.h"
#include "harness/bench/ratios.h"
#include "harness/test_support/kfd_session.h"
#include "harness/thunk/thunk.h"

namespace kfdcts::bench {
namespace {

struct Options {
  std::filesystem::path thunk;
  std::vector<std::int64_t> ranges = {100, 10'000, 100'000};
  std::size_t migrate_mib = 64;
};

int Measure(const Options& options) {
  const harness::Thunk thunk(options.thunk.empty() ? harness::DefaultThunk() : options.thunk);
  harness::KfdSession session;
  session.Open(thunk.api());
  if (session.gpus().empty()) throw std::runtime_error("there is no GPU");
  const Subject subject{thunk.api(), session.gpus().front()};
  RegisterRanges(subject, options.ranges);
  RegisterMigration(subject, options.migrate_mib << 20);
  Ratios ratios;
  benchmark::RunSpecifiedBenchmarks(&ratios);
  ratios.Print(options.ranges, std::cout);
  session.Close(thunk.api());
  return ratios.AnyFailed() ? 1 : 0;
}

int Run(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  Options options;
  CLI::App app("Measures SVM attribute calls by the number of ranges, and migration by memcpy.");
  app.add_option("--thunk", options.thunk, "libhsakmt; else the bundled one");
  app.add_option("--ranges", options.ranges, "numbers of ranges; the first is what ratios are of")
      ->delimiter(',')
      ->check(CLI::Range(1, 10'000'000));
  app.add_option("--migrate-mib", options.migrate_mib, "MiB that migrate")
      ->check(CLI::Range(1, 65536));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return Measure(options);
}

}  // namespace
}  // namespace kfdcts::bench

int main(int argc, char** argv) {
  try {
    return kfdcts::bench::Run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_svm: %s\n", error.what());
    return 2;
  }
}
