// Queries and changes in several threads (PTR-25); ThreadSanitizer looks at the rest.
#include <atomic>
#include <chrono>
#include <thread>

#include "thunk/test/memory/memory_fixture.h"

namespace kfdcts::thunk {
namespace {

/// Runs `work(thread)` in threads again and again for a while.
template <typename Work>
void InThreads(unsigned count, Work work) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < count; ++i) {
    threads.emplace_back([=] {
      do {
        work(i);
      } while (std::chrono::steady_clock::now() < end);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

class ThreadsTest : public MemoryTest {};

TEST_F(ThreadsTest, AnswersAreOfOneObject) {
  std::atomic<std::byte*> latest = nullptr;
  std::atomic<int> mixed = 0;
  const auto change = [&] {
    for (const std::size_t pages : {2, 3}) {
      void* address = nullptr;
      const HsaMemFlags flags = pages == 2 ? PrivateVram() : VisibleVram();
      if (memory().Allocate(1, pages * kPage, 0, flags, &address) != HSAKMT_STATUS_SUCCESS) return;
      latest = static_cast<std::byte*>(address);
      MapTo(address, pages * kPage, {1, 2});
      memory().Unmap(address);
      memory().Free(address, pages * kPage);
    }
  };
  const auto ask = [&] {
    std::byte* const address = latest;
    HsaPointerInfo info{};
    if (memory().Query(address + kPage, &info) != HSAKMT_STATUS_SUCCESS) return;
    const HSAuint32 two = PrivateVram().Value;
    const bool is_two = info.SizeInBytes == 2 * kPage && info.MemFlags.Value == two;
    const bool is_three =
        info.SizeInBytes == 3 * kPage && info.MemFlags.Value == VisibleVram().Value;
    const bool whole_list = info.NMappedNodes == 0 || info.MappedNodes != nullptr;
    mixed += (!is_two && !is_three) || !whole_list;
  };
  InThreads(4, [&](unsigned thread) { thread == 0 ? change() : ask(); });
  EXPECT_EQ(mixed, 0);
}

TEST_F(ThreadsTest, EachThreadHasItsOwnObjects) {
  std::atomic<int> wrong = 0;
  InThreads(4, [&](unsigned thread) {
    void* const mark = reinterpret_cast<void*>(std::uintptr_t{thread} + 1);
    void* address = nullptr;
    wrong += memory().Allocate(0, kPage, 0, Gtt(), &address) != HSAKMT_STATUS_SUCCESS;
    HsaPointerInfo info{};
    wrong += memory().Query(address, &info) != HSAKMT_STATUS_SUCCESS || info.UserData != nullptr;
    wrong += memory().SetUserData(address, mark) != HSAKMT_STATUS_SUCCESS;
    wrong += MapTo(address, kPage, {1 + thread % 2}) != HSAKMT_STATUS_SUCCESS;
    wrong += memory().Query(address, &info) != HSAKMT_STATUS_SUCCESS || info.UserData != mark ||
             info.NMappedNodes != 1 || info.MappedNodes[0] != 1 + thread % 2;
    wrong += memory().Unmap(address) != HSAKMT_STATUS_SUCCESS;
    wrong += memory().Free(address, kPage) != HSAKMT_STATUS_SUCCESS;
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(memory().ObjectCount(), 0U);
}

// The array of one object, which all threads have to make after each change.
TEST_F(ThreadsTest, ArraysAreMadeWhileOthersAsk) {
  void* const address = Allocate(0, kPage, Gtt());
  std::atomic<int> wrong = 0;
  InThreads(4, [&](unsigned thread) {
    if (thread == 0) {
      MapTo(address, kPage, {1, 2});
      memory().Unmap(address);
      return;
    }
    HsaPointerInfo info{};
    wrong += memory().Query(address, &info) != HSAKMT_STATUS_SUCCESS;
    wrong += info.NMappedNodes != 0 && info.MappedNodes == nullptr;
  });
  EXPECT_EQ(wrong, 0);
}

TEST_F(ThreadsTest, OverlappingUserPointers) {
  alignas(kPage) static std::byte pages[4 * kPage];
  std::atomic<int> wrong = 0;
  InThreads(4, [&](unsigned thread) {
    std::byte* const start = pages + thread * kPage / 2;
    const std::size_t size = 2 * kPage + thread;
    wrong += memory().Register(start, size, std::nullopt, {}) != HSAKMT_STATUS_SUCCESS;
    HsaPointerInfo info{};
    wrong += memory().Query(start, &info) != HSAKMT_STATUS_SUCCESS || info.CPUAddress != start ||
             info.SizeInBytes != size;
    wrong += memory().Deregister(start) != HSAKMT_STATUS_SUCCESS;
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_FALSE(Known(pages));
}

}  // namespace
}  // namespace kfdcts::thunk
