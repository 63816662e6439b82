#include "harness/check/fixture.h"

#include <ctime>

#include "harness/gpu/topology.h"

namespace kfdcts::check {
namespace {

std::size_t GpuCount() {
  static const std::size_t count = gpu::ReadTopology().gpus.size();
  return count;
}

}  // namespace

std::uint64_t SettledMemory(const gpu::Kfd& kfd, std::uint32_t gpu_id) {
  constexpr int kSameReadings = 10;
  constexpr timespec kBetween{0, 5'000'000};
  const gpu::Deadline deadline(gpu::kGpuTimeout);
  std::uint64_t last = kfd.AvailableMemory(gpu_id);
  for (int same = 0; same < kSameReadings && !deadline.expired();) {
    nanosleep(&kBetween, nullptr);
    const std::uint64_t now = kfd.AvailableMemory(gpu_id);
    same = now == last ? same + 1 : 0;
    last = now;
  }
  return last;
}

std::vector<std::size_t> GpuOrdinals() {
  std::vector<std::size_t> ordinals{0};
  while (ordinals.size() < GpuCount()) ordinals.push_back(ordinals.size());
  return ordinals;
}

std::vector<std::pair<std::size_t, std::size_t>> GpuPairs() {
  if (GpuCount() < 3) return {{0, 1}};
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t i = 0; i < GpuCount(); ++i) pairs.emplace_back(i, (i + 1) % GpuCount());
  return pairs;
}

std::string OrdinalName(const ::testing::TestParamInfo<std::size_t>& info) {
  return "gpu" + std::to_string(info.param);
}

std::string PairName(const ::testing::TestParamInfo<std::pair<std::size_t, std::size_t>>& info) {
  return "gpu" + std::to_string(info.param.first) + "_gpu" + std::to_string(info.param.second);
}

}  // namespace kfdcts::check
