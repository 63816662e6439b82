// How the thunk finds DRM_AMDGPU_GEM_SVM.
#include <fcntl.h>
#include <sys/mman.h>

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "thunk/src/kernel/drm_svm.h"
#include "thunk/test/fake/fake_kernel.h"

namespace kfdcts::thunk {
namespace {

constexpr std::uint64_t kFourGiB = std::uint64_t{1} << 32U;

/// A free address whose low word is 0.
void* FreeRoundAddress() {
  void* const room =
      mmap(nullptr, 2 * kFourGiB, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  EXPECT_NE(room, MAP_FAILED);
  munmap(room, 2 * kFourGiB);
  const auto start = reinterpret_cast<std::uintptr_t>(room);
  return reinterpret_cast<void*>((start + kFourGiB - 1) / kFourGiB * kFourGiB);
}

/// Maps where addresses begin with a low word of 0; keeps what render nodes are asked.
class RoundKernel : public FakeKernel {
 public:
  using FakeKernel::FakeKernel;

  int Mmap(void* address, std::size_t size, int protection, int flags, int fd, off_t offset,
           void** mapped) override {
    if (address == nullptr && fd == -1) {
      address = FreeRoundAddress();
      flags |= MAP_FIXED_NOREPLACE;
    }
    return FakeKernel::Mmap(address, size, protection, flags, fd, offset, mapped);
  }
  int Ioctl(int fd, unsigned long request, void* argument) override {
    asked.push_back(static_cast<uapi::DrmGemSvm*>(argument)->start_addr);
    return FakeKernel::Ioctl(fd, request, argument);
  }

  std::vector<std::uint64_t> asked;
};

class ProbeTest : public testing::TestWithParam<std::uint32_t> {
 protected:
  static FakeMachine Machine() {
    FakeMachine machine = MakeFakeMachine(1);
    machine.drm_svm_number = GetParam();
    return machine;
  }
};

// Under the older number Linux 7.3 has DRM_AMDGPU_PROC_OPTIONS, to which a low word of 0 is an
// option to set.
TEST_P(ProbeTest, AddressIsNoOption) {
  RoundKernel kernel(Machine());
  const int render = kernel.Open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
  ASSERT_GE(render, 0);
  EXPECT_EQ(DrmSvmCalls::Probe(kernel, render).available(), GetParam() != 0);
  ASSERT_EQ(kernel.asked.size(), GetParam() == 0x1B ? 1U : 2U);
  for (const std::uint64_t address : kernel.asked) {
    EXPECT_EQ(address % kFourGiB, 4096U) << "the page behind the round one";
  }
  kernel.Close(render);
  EXPECT_EQ(kernel.Leftovers(), "");
}

INSTANTIATE_TEST_SUITE_P(Svm, ProbeTest, testing::Values(0U, 0x1AU, 0x1BU),
                         [](const auto& one) { return "Number" + std::to_string(one.param); });

}  // namespace
}  // namespace kfdcts::thunk
