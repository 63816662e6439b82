#include "thunk/bench/measure.h"

#include <benchmark/benchmark.h>
#include <stdlib.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "thunk/bench/population.h"
#include "thunk/bench/stub/stub_kernel.h"

namespace kfdcts::bench {
namespace {

using Kind = Population::Kind;

thunk::FakeMachine Machine() {
  thunk::FakeMachine machine = thunk::MakeFakeMachine(2);
  for (thunk::FakeGpu& gpu : machine.gpus) gpu.vram_bytes = 64ull << 30;
  return machine;
}

/// One library on one fake kernel, and the population of the benchmark that runs.
class Session {
 public:
  Session(const std::string& path, const std::filesystem::path& folder)
      : stub_(Machine(), folder), library_(LoadLibrary(path)) {
    Check(library_.open(), "hsaKmtOpenKFD");
    HsaSystemProperties properties;
    Check(library_.acquire(&properties), "hsaKmtAcquireSystemProperties");
    if (properties.NumNodes != 3) throw std::runtime_error(path + ": does not see the fake GPUs");
  }
  ~Session() {
    population_.reset();
    library_.release();
    library_.close();
  }

  const Library& library() const { return library_; }

  /// Benchmarks with the same population follow each other, their threads come together.
  const Population& Populate(Kind kind, std::size_t count) {
    const std::lock_guard lock(mutex_);
    if (!population_ || population_->kind() != kind || population_->size() != count) {
      population_.reset();
      stub_.CutReservations(true);
      population_ = std::make_unique<Population>(library_, kind, count);
      stub_.CutReservations(false);
    }
    return *population_;
  }

 private:
  StubKernel stub_;
  Library library_;
  std::mutex mutex_;
  std::unique_ptr<Population> population_;
};

void Query(benchmark::State& state, Session& session, Kind kind, bool hit, std::size_t count) {
  const Population& population = session.Populate(kind, count);
  const auto& addresses = hit ? population.hits() : population.misses();
  std::size_t next = addresses.size() / 2 * static_cast<std::size_t>(state.thread_index());
  const HSAKMT_STATUS expected = hit ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_ERROR;
  bool as_expected = true;
  for (auto _ : state) {
    HsaPointerInfo info;
    as_expected &= session.library().query(addresses[next], &info) == expected;
    if (++next == addresses.size()) next = 0;
  }
  if (!as_expected) state.SkipWithError("a query gave the wrong status");
  state.SetItemsProcessed(state.iterations());
}

void AllocateCycle(benchmark::State& state, Session& session, std::size_t count) {
  session.Populate(Kind::kAllocated, count);
  const Library& library = session.library();
  for (auto _ : state) {
    void* address = nullptr;
    HSAuint64 gpu_address = 0;
    Check(library.allocate(kGpuNode, kObjectBytes, VramFlags(), &address), "hsaKmtAllocMemory");
    Check(library.map(address, kObjectBytes, &gpu_address), "hsaKmtMapMemoryToGPU");
    Check(library.unmap(address), "hsaKmtUnmapMemoryToGPU");
    Check(library.free(address, kObjectBytes), "hsaKmtFreeMemory");
  }
  state.SetItemsProcessed(state.iterations());
}

void RegisterCycle(benchmark::State& state, Session& session, std::size_t count) {
  session.Populate(Kind::kUserPointer, count);
  const Library& library = session.library();
  alignas(kObjectBytes) static std::array<char, kObjectBytes> memory;
  for (auto _ : state) {
    HSAuint64 gpu_address = 0;
    Check(library.register_memory(memory.data(), kObjectBytes), "hsaKmtRegisterMemory");
    Check(library.map(memory.data(), kObjectBytes, &gpu_address), "hsaKmtMapMemoryToGPU");
    Check(library.unmap(memory.data()), "hsaKmtUnmapMemoryToGPU");
    Check(library.deregister(memory.data()), "hsaKmtDeregisterMemory");
  }
  state.SetItemsProcessed(state.iterations());
}

/// Prints as Google Benchmark does, and keeps the best of each benchmark.
class Recorder : public benchmark::ConsoleReporter {
 public:
  Recorder() : ConsoleReporter(OO_Tabular) {}

  void ReportRuns(const std::vector<Run>& runs) override {
    std::vector<Run> repetitions;  // their mean and the like say nothing on a busy machine
    std::copy_if(runs.begin(), runs.end(), std::back_inserter(repetitions),
                 [](const Run& run) { return run.run_type == Run::RT_Iteration; });
    ConsoleReporter::ReportRuns(repetitions);
    for (const Run& run : repetitions) {
      if (run.error_occurred) error_ = run.benchmark_name() + ": " + run.error_message;
      const auto rate = run.counters.find("items_per_second");
      if (rate == run.counters.end()) continue;
      Result& best = results_[run.run_name.function_name];
      const double cpu_ns = run.cpu_accumulated_time / static_cast<double>(run.iterations) * 1e9;
      best.cpu_ns = best.cpu_ns == 0 ? cpu_ns : std::min(best.cpu_ns, cpu_ns);
      best.real_rate = std::max<double>(best.real_rate, rate->second);
    }
  }

  const Results& results() const { return results_; }
  const std::string& error() const { return error_; }

 private:
  Results results_;
  std::string error_;
};

template <class Function>
void Add(const Measurement& measurement, const std::string& name, int threads, Function function) {
  const auto guarded = [function](benchmark::State& state) {
    try {
      function(state);
    } catch (const std::exception& error) {
      state.SkipWithError(error.what());
    }
  };
  benchmark::RegisterBenchmark(name.c_str(), guarded)
      ->MinTime(measurement.seconds)
      ->Repetitions(measurement.repetitions)
      ->Threads(threads)
      ->UseRealTime();
}

void AddAll(Session& session, const Measurement& measurement) {
  for (const bool user : {false, true}) {
    const Kind kind = user ? Kind::kUserPointer : Kind::kAllocated;
    for (const std::size_t size : measurement.sizes) {
      for (const bool hit : {true, false})
        for (const int threads : {1, 2})
          Add(measurement, QueryName(user, hit, size, threads), threads,
              [&session, kind, hit, size](benchmark::State& state) {
                Query(state, session, kind, hit, size);
              });
      Add(measurement, CycleName(user, size), 1, [&session, user, size](benchmark::State& state) {
        user ? RegisterCycle(state, session, size) : AllocateCycle(state, session, size);
      });
    }
  }
}

}  // namespace

std::string QueryName(bool user_pointer, bool hit, std::size_t objects, int threads) {
  return std::string("query/") + (user_pointer ? "user/" : "allocated/") +
         (hit ? "hit/" : "miss/") + std::to_string(objects) + (threads == 1 ? "" : "/by2");
}

std::string CycleName(bool user_pointer, std::size_t objects) {
  return std::string("cycle/") + (user_pointer ? "user/" : "allocated/") + std::to_string(objects);
}

Results Measure(const Measurement& measurement) {
  setenv("HSA_USE_SVM", "0", 1);  // or else user pointers are no objects
  Session session(measurement.library, measurement.folder);
  AddAll(session, measurement);
  Recorder recorder;
  benchmark::RunSpecifiedBenchmarks(&recorder);
  if (!recorder.error().empty()) throw std::runtime_error(recorder.error());
  return recorder.results();
}

}  // namespace kfdcts::bench
