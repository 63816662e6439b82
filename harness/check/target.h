#pragma once

#include <memory>
#include <optional>
#include <string>
#include <tuple>

#include "harness/check/fixture.h"
#include "harness/gpu/buffer.h"
#include "harness/gpu/runner.h"

namespace kfdcts::check {

/// Kinds of memory that GPU work is tried on.
enum class TargetKind { kVram, kGtt, kUserptr, kSvmInSystem, kSvmInVram };

const char* Name(TargetKind kind);

/// Memory of one kind that a GPU and the CPU can use. What the CPU reads of memory in VRAM under
/// SVM comes back first.
class Target {
 public:
  /// Zeroed. Throws gpu::GpuError.
  Target(gpu::Gpu& gpu, TargetKind kind, std::uint64_t bytes);

  std::uint64_t address() const { return reinterpret_cast<std::uint64_t>(span().data()); }
  std::span<std::byte> span() const { return buffer_ ? buffer_->span() : memory_->span(); }
  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(span().data());
  }

  /// After the CPU has prepared the content: moves it where its kind says.
  void Place() const;

 private:
  gpu::Gpu& gpu_;
  TargetKind kind_;
  std::optional<gpu::Buffer> buffer_;
  std::optional<gpu::HostMemory> memory_;
};

/// A check of one GPU on one kind of memory: "gpu0_SvmInVram".
class TargetCheck : public MachineCheck,
                    public ::testing::WithParamInterface<std::tuple<std::size_t, TargetKind>> {
 public:
  gpu::Gpu& gpu() { return session().gpu(std::get<0>(GetParam())); }
  TargetKind kind() const { return std::get<1>(GetParam()); }
  Target MakeTarget(std::uint64_t bytes) { return {gpu(), kind(), bytes}; }
  std::string Missing() override;
};

std::string TargetName(const ::testing::TestParamInfo<std::tuple<std::size_t, TargetKind>>& info);

/// The check goes on only where this WorkResult is done.
#define ASSERT_DONE(expression) \
  if (const ::kfdcts::gpu::WorkResult result = (expression); !result) FAIL() << result.Text()

}  // namespace kfdcts::check

/// Makes the suite's checks run on each GPU with each kind of memory.
#define ON_EACH_TARGET(suite)                                                                  \
  INSTANTIATE_TEST_SUITE_P(                                                                    \
      , suite,                                                                                 \
      ::testing::Combine(                                                                      \
          ::testing::ValuesIn(kfdcts::check::GpuOrdinals()),                                   \
          ::testing::Values(kfdcts::check::TargetKind::kVram, kfdcts::check::TargetKind::kGtt, \
                            kfdcts::check::TargetKind::kUserptr,                               \
                            kfdcts::check::TargetKind::kSvmInSystem,                           \
                            kfdcts::check::TargetKind::kSvmInVram)),                           \
      kfdcts::check::TargetName)
