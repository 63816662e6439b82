// What a user waits for before the first test: a stock kernel with one virtual GPU, up to a
// /dev/kfd with its node.
#include <benchmark/benchmark.h>

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <exception>
#include <filesystem>
#include <string>

#include "harness/vm/guest_run.h"

namespace kfdcts::vm {
namespace {

/// From the emulator's start to that of the guest's program, which waits for the driver to be
/// bound.
void BootToKfd(benchmark::State& state) {
  std::signal(SIGPIPE, SIG_IGN);
  const auto results =
      std::filesystem::temp_directory_path() / ("bench-vgpu-" + std::to_string(getpid()));
  for (auto _ : state) {
    try {
      GuestRun run;
      run.machine = FindMachine("vega10");
      run.command = {"test", "-c", "/dev/kfd"};
      run.results = results;
      const GuestResult result = Run(run);
      if (result.end != GuestResult::End::kExited || result.exit_code != 0) {
        state.SkipWithError(("no guest with a /dev/kfd: " + result.reason).c_str());
      }
      state.SetIterationTime(std::chrono::duration<double>(result.boot_time).count());
    } catch (const std::exception& error) {
      state.SkipWithError(error.what());
    }
  }
  std::filesystem::remove_all(results);
}
BENCHMARK(BootToKfd)->Iterations(1)->UseManualTime()->Unit(benchmark::kSecond);

}  // namespace
}  // namespace kfdcts::vm
