// Prefetch of a range of which some pages were never touched or cannot move.
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>

#include "suites/svm_range/sharing_test.h"

namespace kfdcts::suites {
namespace {

constexpr std::size_t kPages = 32;

struct PatternCase {
  std::string_view name;
  bool (*holds)(std::size_t page);
};

constexpr PatternCase kPatterns[] = {
    {"even", [](std::size_t page) { return page % 2 == 0; }},
    {"odd", [](std::size_t page) { return page % 2 == 1; }},
    {"every_third", [](std::size_t page) { return page % 3 == 0; }},
    {"first_half", [](std::size_t page) { return page < kPages / 2; }},
    {"last_half", [](std::size_t page) { return page >= kPages / 2; }},
    {"ends", [](std::size_t page) { return page == 0 || page == kPages - 1; }},
    {"none", [](std::size_t) { return false; }},
};

std::uint32_t ValueOf(std::size_t page) { return 0xAB000000U + static_cast<std::uint32_t>(page); }

/// Holds references to pages as direct IO does, so that they cannot move.
class HeldPages {
 public:
  HeldPages() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
      throw std::system_error(errno, std::generic_category(), "pipe2");
    }
    read_ = gpu::UniqueFd(ends[0]);
    write_ = gpu::UniqueFd(ends[1]);
    if (fcntl(ends[1], F_SETPIPE_SZ, static_cast<int>(2 * kPages * PageSize())) < 0) {
      throw std::system_error(errno, std::generic_category(), "F_SETPIPE_SZ");
    }
  }

  bool Hold(std::span<std::byte> page) const {
    const iovec part{page.data(), page.size()};
    return vmsplice(write_.get(), &part, 1, 0) == static_cast<ssize_t>(page.size());
  }

 private:
  gpu::UniqueFd read_, write_;
};

}  // namespace

KFD_TEST_CASES_F(SVMRange, UntouchedPagesMigrate, SharingTest, kPatterns,
                 .property =
                     "after the prefetch of a range of which pages were never touched, GPU "
                     "and CPU see on each page its own value or zero",
                 .rules = "SVM-17 SVM-16", .guards = "BUG-32", .needs = {Capability::kSvm}) {
  const SvmMemory memory(kPages);
  for (std::size_t page = 0; page < kPages; ++page) {
    if (param().holds(page)) *memory.Word(page) = ValueOf(page);
  }
  ASSERT_EQ(Set(memory.All(), {Access(gpu().node_id), Prefetch(gpu().node_id)}),
            HSAKMT_STATUS_SUCCESS);
  for (std::size_t page = 0; page < kPages; ++page) {
    std::uint32_t seen = 1;
    ASSERT_TRUE(Done(Work().Read(memory.Word(page), seen)));
    EXPECT_EQ(seen, param().holds(page) ? ValueOf(page) : 0) << "GPU, page " << page;
  }
  for (std::size_t page = 0; page < kPages; ++page) {
    EXPECT_EQ(*memory.Word(page), param().holds(page) ? ValueOf(page) : 0) << "CPU, page " << page;
  }
}

KFD_TEST_CASES_F(SVMRange, HeldPagesStay, SharingTest, kPatterns,
                 .property =
                     "a prefetch leaves pages that cannot move in system memory and moves "
                     "the others; GPU and CPU see the same data on all of them",
                 .rules = "SVM-17 SVM-16", .guards = "BUG-32",
                 .needs = {Capability::kSvm, Capability::kPagemap}) {
  const SvmMemory memory(kPages);
  memory.FillPattern(1);
  const HeldPages held;
  std::string expected;
  for (std::size_t page = 0; page < kPages; ++page) {
    const bool stays = param().holds(page);
    ASSERT_TRUE(!stays || held.Hold(memory.Pages(page)));
    expected += stays ? 'm' : 'v';
  }
  ASSERT_EQ(Set(memory.All(), {Access(gpu().node_id), Prefetch(gpu().node_id)}),
            HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Residency(memory.All()), expected);
  ExpectGpuSees(memory, 1);
  memory.ExpectPattern(1);
  ExpectOneMemory(memory, 3, 4);
  ExpectOneMemory(memory, 4, 3);
}

}  // namespace kfdcts::suites
