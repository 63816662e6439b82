#include "harness/probes/allocation_failure.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <thread>

namespace kfdcts::harness {
namespace {

class AllocationFailureTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!AllocationFailure::Available()) GTEST_SKIP() << "a sanitizer's allocator is in use";
  }
};

/// Calls that the compiler may not leave out.
void* Allocate(std::size_t size) {
  void* volatile memory = std::malloc(size);
  return memory;
}

TEST_F(AllocationFailureTest, OnlyTheNthFails) {
  AllocationFailure failure(2);
  void* first = Allocate(10);
  errno = 0;
  void* second = Allocate(10);
  const int error = errno;
  void* third = Allocate(10);
  failure.Disarm();
  EXPECT_NE(nullptr, first);
  EXPECT_EQ(nullptr, second);
  EXPECT_EQ(ENOMEM, error);
  EXPECT_NE(nullptr, third);
  EXPECT_TRUE(failure.Struck());
  EXPECT_EQ(3u, failure.Count());
  std::free(first);
  std::free(third);
}

TEST_F(AllocationFailureTest, EveryKindCounts) {
  AllocationFailure failure(0);
  void* zeroed = std::calloc(3, 5);
  void* grown = std::realloc(Allocate(1), 100);
  void* aligned = std::aligned_alloc(64, 128);
  void* posix = nullptr;
  const int error = posix_memalign(&posix, 64, 128);
  char* copy = strdup("text");     // inside the C library
  int* volatile object = new int;  // inside the C++ library
  failure.Disarm();
  EXPECT_EQ(0, error);
  EXPECT_EQ(7u, failure.Count());
  EXPECT_FALSE(failure.Struck());
  for (void* memory : {zeroed, grown, aligned, posix, static_cast<void*>(copy)}) std::free(memory);
  delete object;
}

TEST_F(AllocationFailureTest, NewThrows) {
  AllocationFailure failure(1);
  bool thrown = false;
  try {
    int* volatile object = new int;
    delete object;
  } catch (const std::bad_alloc&) {
    thrown = true;
  }
  failure.Disarm();
  EXPECT_TRUE(thrown);
}

TEST_F(AllocationFailureTest, OtherThreadsAreLeftAlone) {
  void* memory = nullptr;
  std::thread other;
  {
    other = std::thread([&] { memory = Allocate(10); });
    AllocationFailure failure(1);
    other.join();
    EXPECT_FALSE(failure.Struck());
  }
  EXPECT_NE(nullptr, memory);
  std::free(memory);
}

TEST_F(AllocationFailureTest, ItsEndDisarms) {
  { const AllocationFailure failure(1); }
  void* memory = Allocate(10);
  EXPECT_NE(nullptr, memory);
  std::free(memory);
}

}  // namespace
}  // namespace kfdcts::harness
