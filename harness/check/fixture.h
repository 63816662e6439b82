#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/check/isolated.h"
#include "harness/check/needs.h"
#include "harness/gpu/session.h"

namespace kfdcts::check {

/// A check of the process or machine as a whole. Its body runs in a process of its own (see CHECK),
/// which may open one session.
class MachineCheck : public ::testing::Test {
 public:
  /// Opened at the first call; ends with the body.
  gpu::Session& session() {
    if (!session_) session_ = std::make_unique<gpu::Session>();
    return *session_;
  }

  template <class Fixture>
  static void Run(Fixture& fixture, void (*body)(Fixture&)) {
    RunIsolated([&] {
      SKIP_UNLESS(fixture.Missing());
      body(fixture);
      fixture.session_.reset();
    });
  }

  /// Why the machine cannot run this check; empty where it can.
  virtual std::string Missing() { return ""; }

 private:
  std::unique_ptr<gpu::Session> session_;
};

/// A check of one GPU, by its ordinal.
class GpuCheck : public MachineCheck, public ::testing::WithParamInterface<std::size_t> {
 public:
  gpu::Gpu& gpu() { return session().gpu(GetParam()); }
  std::string Missing() override { return NeedsGpu(GetParam()); }
};

/// A check of two GPUs.
class PairCheck : public MachineCheck,
                  public ::testing::WithParamInterface<std::pair<std::size_t, std::size_t>> {
 public:
  gpu::Gpu& first() { return session().gpu(GetParam().first); }
  gpu::Gpu& second() { return session().gpu(GetParam().second); }
  std::string Missing() override { return NeedsGpu(std::max(GetParam().first, GetParam().second)); }
};

/// VRAM that KFD would give out, once it stays the same for a while: processes that ended give
/// theirs back later.
std::uint64_t SettledMemory(const gpu::Kfd& kfd, std::uint32_t gpu_id);

/// Ordinals of the machine's GPUs; 0 where it has none, so that the checks can be listed.
std::vector<std::size_t> GpuOrdinals();
/// Each GPU with the next one; {0, 1} where there is one GPU or none.
std::vector<std::pair<std::size_t, std::size_t>> GpuPairs();

/// "gpu0" and "gpu0_gpu1".
std::string OrdinalName(const ::testing::TestParamInfo<std::size_t>& info);
std::string PairName(const ::testing::TestParamInfo<std::pair<std::size_t, std::size_t>>& info);

}  // namespace kfdcts::check

/// As TEST_F; the body runs isolated and has its fixture as `check`.
#define MACHINE_CHECK(suite, name)                                     \
  static void suite##name##Body(suite& check);                         \
  TEST_F(suite, name) { suite::Run<suite>(*this, suite##name##Body); } \
  static void suite##name##Body([[maybe_unused]] suite& check)

/// As TEST_P, likewise.
#define GPU_CHECK(suite, name)                                         \
  static void suite##name##Body(suite& check);                         \
  TEST_P(suite, name) { suite::Run<suite>(*this, suite##name##Body); } \
  static void suite##name##Body([[maybe_unused]] suite& check)

/// Makes the suite's checks run on each GPU, and on each pair.
#define ON_EACH_GPU(suite)                                                             \
  INSTANTIATE_TEST_SUITE_P(, suite, ::testing::ValuesIn(kfdcts::check::GpuOrdinals()), \
                           kfdcts::check::OrdinalName)
#define ON_EACH_PAIR(suite)                                                         \
  INSTANTIATE_TEST_SUITE_P(, suite, ::testing::ValuesIn(kfdcts::check::GpuPairs()), \
                           kfdcts::check::PairName)
