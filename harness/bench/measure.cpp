#include "harness/bench/measure.h"

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstring>
#include <memory>
#include <string>

#include "suites/support/memory.h"
#include "suites/support/status.h"
#include "suites/support/svm_attributes.h"
#include "suites/support/svm_memory.h"

namespace kfdcts::bench {
namespace {

using suites::SvmMemory;

void Set(const Subject& subject, std::span<std::byte> pages, HSA_SVM_ATTRIBUTE attribute) {
  suites::Check("hsaKmtSVMSetAttr",
                subject.thunk.hsaKmtSVMSetAttr(pages.data(), pages.size(), 1, &attribute));
}

HSAuint32 Get(const Subject& subject, std::span<std::byte> pages) {
  HSA_SVM_ATTRIBUTE attribute = suites::Granularity(0);
  suites::Check("hsaKmtSVMGetAttr",
                subject.thunk.hsaKmtSVMGetAttr(pages.data(), pages.size(), 1, &attribute));
  return attribute.value;
}

/// Ranges of a page each, with a page that has none between any two, so that each is one of the
/// kernel's.
class Ranges {
 public:
  Ranges(const Subject& subject, std::size_t count) : count_(count), memory_(2 * count) {
    for (std::size_t i = 0; i < count; ++i) Set(subject, At(i), suites::Granularity(5));
  }

  std::size_t count() const { return count_; }
  std::span<std::byte> At(std::size_t index) const { return memory_.Pages(2 * index); }
  std::span<std::byte> All() const { return memory_.All(); }

 private:
  std::size_t count_;
  SvmMemory memory_;
};

/// Made once for all the benchmarks of a number, which follow one another.
const Ranges& RangesOf(const Subject& subject, std::size_t count) {
  static std::unique_ptr<Ranges> ranges;
  if (!ranges || ranges->count() != count) {
    ranges.reset();
    ranges = std::make_unique<Ranges>(subject, count);
  }
  return *ranges;
}

/// Registers a benchmark whose failure is its own.
template <class Body>
benchmark::internal::Benchmark* Register(const std::string& name, const Body& body) {
  return benchmark::RegisterBenchmark(name.c_str(), [body](benchmark::State& state) {
    try {
      body(state);
    } catch (const std::exception& error) {
      state.SkipWithError(error.what());
    }
  });
}

void SetOne(const Subject& subject, std::size_t count, benchmark::State& state) {
  const auto pages = RangesOf(subject, count).At(count / 2);
  HSAuint32 granularity = 5;
  for ([[maybe_unused]] auto turn : state) {
    granularity ^= 1;
    Set(subject, pages, suites::Granularity(granularity));
  }
}

void GetOne(const Subject& subject, std::size_t count, benchmark::State& state) {
  const auto pages = RangesOf(subject, count).At(count / 2);
  for ([[maybe_unused]] auto turn : state) benchmark::DoNotOptimize(Get(subject, pages));
}

void GetAll(const Subject& subject, std::size_t count, benchmark::State& state) {
  const auto pages = RangesOf(subject, count).All();
  for ([[maybe_unused]] auto turn : state) benchmark::DoNotOptimize(Get(subject, pages));
}

/// Moves memory there and back, and counts the time of one way.
void Migrate(const Subject& subject, std::size_t bytes, bool to_gpu, benchmark::State& state) {
  const SvmMemory memory(bytes / suites::PageSize());
  memory.FillPattern(1);
  Set(subject, memory.All(), suites::Access(subject.gpu.node_id));
  const auto move = [&](HSAuint32 node) {
    const auto start = std::chrono::steady_clock::now();
    Set(subject, memory.All(), suites::Prefetch(node));
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  for ([[maybe_unused]] auto turn : state) {
    const double there = move(subject.gpu.node_id);
    const char expected = suites::Residency(memory.Pages(0)).front();
    if (expected != 'v') throw std::runtime_error("the prefetch left the pages in system memory");
    const double back = move(0);
    state.SetIterationTime(to_gpu ? there : back);
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes) * state.iterations());
}

void Memcpy(std::size_t bytes, benchmark::State& state) {
  const SvmMemory source(bytes / suites::PageSize()), destination(bytes / suites::PageSize());
  source.FillPattern(1);
  destination.FillPattern(2);
  for ([[maybe_unused]] auto turn : state) {
    const auto start = std::chrono::steady_clock::now();
    std::memcpy(destination.All().data(), source.All().data(), bytes);
    benchmark::ClobberMemory();
    state.SetIterationTime(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes) * state.iterations());
}

}  // namespace

void RegisterRanges(const Subject& subject, const std::vector<std::int64_t>& counts) {
  for (const std::int64_t number : counts) {
    const auto count = static_cast<std::size_t>(number);
    const std::string end = "/" + std::to_string(number);
    Register("set/one" + end, [=](benchmark::State& state) { SetOne(subject, count, state); });
    Register("get/one" + end, [=](benchmark::State& state) { GetOne(subject, count, state); });
    Register("get/all" + end, [=](benchmark::State& state) { GetAll(subject, count, state); });
  }
}

void RegisterMigration(const Subject& subject, std::size_t bytes) {
  Register("migrate/to_gpu", [=](benchmark::State& state) {
    Migrate(subject, bytes, true, state);
  })->UseManualTime();
  Register("migrate/to_system", [=](benchmark::State& state) {
    Migrate(subject, bytes, false, state);
  })->UseManualTime();
  Register("migrate/memcpy", [=](benchmark::State& state) {
    Memcpy(bytes, state);
  })->UseManualTime();
}

}  // namespace kfdcts::bench
