#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#include "thunk/src/context/context.h"
#include "thunk/test/fake/fake_kernel.h"

namespace kfdcts::thunk {

using Attributes = std::vector<HSA_SVM_ATTRIBUTE>;

constexpr std::size_t kSvmPage = 4096;
constexpr std::size_t kSvmSize = 8 * kSvmPage;

/// A page where nothing is mapped: one that was a moment ago.
inline void* Unmapped() {
  void* page = mmap(nullptr, kSvmPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  munmap(page, kSvmPage);
  return page;
}

/// Keeps which render node was asked last.
class SvmKernel : public FakeKernel {
 public:
  using FakeKernel::FakeKernel;
  int Ioctl(int fd, unsigned long request, void* argument) override {
    if (const int minor = RenderMinor(fd); minor >= 0) asked_minor = minor;
    return FakeKernel::Ioctl(fd, request, argument);
  }

  int asked_minor = -1;
};

/// A context on a fake kernel, and eight pages.
class SvmBackendTest : public testing::Test {
 protected:
  explicit SvmBackendTest(FakeMachine machine = MakeFakeMachine(), const char* backend = nullptr)
      : kernel_(std::move(machine)) {
    if (backend != nullptr) setenv("HSAKMT_SVM_BACKEND", backend, 1);
    auto render_nodes = std::make_shared<RenderNodes>(kernel_, true);
    EXPECT_EQ(Context::Open(kernel_, true, std::move(render_nodes), context_),
              HSAKMT_STATUS_SUCCESS);
    unsetenv("HSAKMT_SVM_BACKEND");
    pages_ = static_cast<char*>(
        mmap(nullptr, kSvmSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    EXPECT_NE(pages_, MAP_FAILED);
  }
  ~SvmBackendTest() override {
    context_->ReleaseObjects();
    EXPECT_EQ(kernel_.Holdings().drm_svm_entries, 0U);
    munmap(pages_, kSvmSize);
    context_.reset();
    EXPECT_EQ(kernel_.Leftovers(), "");
  }

  HSAKMT_STATUS Set(const Attributes& attributes) { return Set(pages_, kSvmSize, attributes); }
  HSAKMT_STATUS Set(void* start, std::uint64_t size, const Attributes& attributes) {
    return context_->svm().Set(start, size, attributes);
  }
  HSAKMT_STATUS Get(Attributes& attributes) { return Get(pages_, kSvmSize, attributes); }
  HSAKMT_STATUS Get(void* start, std::uint64_t size, Attributes& attributes) {
    return context_->svm().Get(start, size, attributes);
  }
  /// One attribute of the range.
  HSA_SVM_ATTRIBUTE Ask(HSA_SVM_ATTR_TYPE type, HSAuint32 node = 0) {
    return Ask(pages_, kSvmSize, type, node);
  }
  HSA_SVM_ATTRIBUTE Ask(void* start, std::uint64_t size, HSA_SVM_ATTR_TYPE type,
                        HSAuint32 node = 0) {
    Attributes asked{{type, node}};
    EXPECT_EQ(Get(start, size, asked), HSAKMT_STATUS_SUCCESS);
    return asked[0];
  }
  HSAuint32 Value(HSA_SVM_ATTR_TYPE type) { return Ask(type).value; }
  HSAuint32 AccessOf(HSAuint32 node) { return Ask(HSA_SVM_ATTR_ACCESS, node).type; }

  SvmKernel kernel_;
  std::unique_ptr<Context> context_;
  char* pages_ = nullptr;
};

}  // namespace kfdcts::thunk
