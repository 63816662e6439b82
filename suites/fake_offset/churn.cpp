// Objects made and closed in numbers.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <random>

#include "suites/fake_offset/offset_test.h"
#include "suites/support/amount.h"
#include "suites/support/threads.h"

namespace kfdcts::suites {
namespace {

constexpr int kThreads = 4;
constexpr int kProcesses = 3;
constexpr std::uint64_t kRounds = 300;  // of each thread, in an ordinary run

class ChurnTest : public OffsetTest {
 protected:
  /// Rounds of each of `count` threads or processes.
  static std::uint64_t RoundsOfEach(int count) {
    return Amount("KFDCTS_OFFSET_CHURN", kRounds * static_cast<std::uint64_t>(count)) /
           static_cast<std::uint64_t>(count);
  }

  void RequirePlainIoctls() {
    if (!source().IsStateless()) {
      throw harness::CapabilityMissing("plain-ioctls", "the source's own library is in the way");
    }
  }

  /// Makes, asks, maps and closes; returns the highest offset that it saw.
  std::uint64_t Churn(const UniqueFd& file, std::uint64_t rounds, std::uint32_t seed) {
    std::mt19937 random(seed);
    std::uint64_t highest = 0;
    for (std::uint64_t round = 0; round < rounds; ++round) {
      const Buffer buffer = Make(file, 1 + random() % 4);
      const std::uint64_t offset = buffer.Offset();
      highest = std::max(highest, offset);
      if (round % 8 == 0) {
        EXPECT_EQ(TryMap(file.get(), offset, buffer.bytes()), 0);
      }
    }
    return highest;
  }

  /// The offset that a new object gets.
  std::uint64_t Next() {
    const UniqueFd file = Open();
    return Make(file, 1).Offset();
  }
};

/// Far more than the few live objects of up to four pages need, far less than all that are made.
constexpr std::uint64_t kWindow = std::uint64_t{16} * 2 * 4 * 4096;

}  // namespace

OFFSET_TEST_F(ChurnOfThreads, ChurnTest,
              .property =
                  "threads that make and close objects of one file leave the next offset "
                  "where it was, and never went far beyond it",
              .rules = "OFF-14", .time_limit = std::chrono::seconds(3600)) {
  RequirePlainIoctls();
  const std::uint64_t before = Next();
  const UniqueFd file = Open();
  std::array<std::uint64_t, kThreads> highest{};
  InThreads(kThreads, [&](int id) {
    highest[static_cast<std::size_t>(id)] =
        Churn(file, RoundsOfEach(kThreads), Seed() + static_cast<std::uint32_t>(id));
  });
  EXPECT_LE(*std::ranges::max_element(highest), before + kWindow);
  EXPECT_EQ(Next(), before);
}

OFFSET_TEST_F(ChurnOfProcesses, ChurnTest,
              .property =
                  "processes that make and close objects, each of its own file, and die, "
                  "leave the next offset where it was",
              .rules = "OFF-14", .time_limit = std::chrono::seconds(3600)) {
  RequirePlainIoctls();
  const std::uint64_t before = Next();
  std::array<pid_t, kProcesses> children{};
  for (std::uint32_t id = 0; id < kProcesses; ++id) {
    children[id] = fork();
    if (children[id] == 0) {
      const UniqueFd own = Open();
      const std::uint64_t highest = Churn(own, RoundsOfEach(kProcesses), Seed() + id);
      source().Create(own.get(), PageSize());  // is left to the process's death
      _exit(!HasFailure() && highest <= before + kWindow ? 0 : 1);
    }
  }
  for (const pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(Next(), before);
}

OFFSET_TEST_F(ChurnOfImports, ChurnTest,
              .property =
                  "a thousand imports and closes leave the file without permission, the "
                  "maker with it, and the offset free in the end",
              .rules = "OFF-7 OFF-14", .time_limit = std::chrono::seconds(3600)) {
  const UniqueFd file = Open();
  const UniqueFd other = Open();
  const std::uint64_t before = Make(file).Offset();
  {
    const Buffer buffer = Make(file);
    const UniqueFd dma_buf = Exported(file.get(), buffer.handle());
    for (int round = 0; round < 1000; ++round) {
      ASSERT_EQ(Handle::Of(other.get(), dma_buf).Close(), 0) << round;
    }
    EXPECT_EQ(TryMap(other.get(), buffer.Offset(), buffer.bytes()), EACCES);
    EXPECT_EQ(TryMap(file.get(), buffer.Offset(), buffer.bytes()), 0);
  }
  EXPECT_TRUE(IsFree(file, before));
}

}  // namespace kfdcts::suites
