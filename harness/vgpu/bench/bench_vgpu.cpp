// bench_vgpu: the virtual GPU through its vfio-user socket, with the client in this process, so
// without an emulator's share. Times are of the wall clock.
#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdint>
#include <cstring>
#include <vector>

#include "harness/vgpu/test/transport/sdma_ring.h"
#include "harness/vgpu/test/transport/served_device.h"

namespace kfdcts::vgpu {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kVramBytes = 256ULL << 20;
constexpr std::uint64_t kCopyTo = 128ULL << 20;  // Far from SdmaRing::kDataAt.

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Bench {
  Bench() { ring.emplace((served.Connect().Negotiate(), *served.client), vram); }

  ServedDevice served{kVramBytes};
  MappedVram vram{served.device};
  std::optional<SdmaRing> ring;
};

/// One register read: a request, a reply, nothing else.
void RegisterRead(benchmark::State& state) {
  Bench bench;
  for (auto _ : state) {
    benchmark::DoNotOptimize(bench.served.client->ReadRegister(kVega10.scratch_reg0));
  }
}
BENCHMARK(RegisterRead)->UseRealTime();

/// From ringing the doorbell until the fence of an otherwise empty queue is seen in memory.
void DoorbellToFence(benchmark::State& state) {
  Bench bench;
  std::uint32_t fence = 0;
  for (auto _ : state) {
    bench.ring->Fence(++fence);
    bench.ring->Kick();
    if (!bench.ring->WaitForFence(fence)) {
      state.SkipWithError("the fence did not come");
      break;
    }
  }
}
BENCHMARK(DoorbellToFence)->UseRealTime();

/// A copy inside VRAM from the doorbell to its fence, and right after it the same copy by memcpy:
/// `of_memcpy` is SDMA's throughput as a part of memcpy's.
void SdmaCopy(benchmark::State& state) {
  Bench bench;
  const auto bytes = static_cast<std::uint64_t>(state.range(0));
  std::memset(bench.vram.at(SdmaRing::kDataAt), 0x5a, bytes);
  std::memset(bench.vram.at(kCopyTo), 0, bytes);
  std::uint32_t fence = 0;
  double sdma_seconds = 0, memcpy_seconds = 0;
  for (auto _ : state) {
    auto start = Clock::now();
    bench.ring->Copy(SdmaRing::kDataAt, kCopyTo, bytes);
    bench.ring->Fence(++fence);
    bench.ring->Kick();
    if (!bench.ring->WaitForFence(fence)) {
      state.SkipWithError("the fence did not come");
      break;
    }
    const double seconds = SecondsSince(start);
    sdma_seconds += seconds;
    state.SetIterationTime(seconds);

    start = Clock::now();
    std::memcpy(bench.vram.at(kCopyTo), bench.vram.at(SdmaRing::kDataAt), bytes);
    benchmark::ClobberMemory();
    memcpy_seconds += SecondsSince(start);
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes) *
                          static_cast<std::int64_t>(state.iterations()));
  state.counters["of_memcpy"] = memcpy_seconds / sdma_seconds;
}
BENCHMARK(SdmaCopy)->Arg(4 << 10)->Arg(256 << 10)->Arg(4 << 20)->Arg(64 << 20)->UseManualTime();

}  // namespace
}  // namespace kfdcts::vgpu

BENCHMARK_MAIN();
