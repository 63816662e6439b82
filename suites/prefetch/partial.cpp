// Ranges of which only some pages can move.
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "harness/gpu/unique_fd.h"
#include "suites/prefetch/prefetch_test.h"

namespace kfdcts::suites {
namespace {

/// A letter a page: 't' written, '.' never touched, 'z' only read, 'p' written and held by a pipe,
/// so that the kernel cannot move it.
struct MixCase {
  std::string_view name;
  std::string_view pages;
};
constexpr MixCase kMixes[] = {
    {"every_2nd_untouched", "t.t.t.t.t.t.t.t."},
    {"untouched_first", ".ttttttttttttttt"},
    {"untouched_last", "ttttttttttttttt."},
    {"half_untouched", "........tttttttt"},
    {"untouched_at_both_ends", ".tttttttttttttt."},
    {"every_3rd_written", "t..t..t..t..t..t"},
    {"all_untouched", "................"},
    {"every_2nd_only_read", "tztztztztztztztz"},
    {"held_first", "pttttttttttttttt"},
    {"held_last", "tttttttttttttttp"},
    {"held_in_the_middle", "tttttttptttttttt"},
    {"every_2nd_held", "tptptptptptptptp"},
    {"every_2nd_held_from_the_first", "ptptptptptptptpt"},
    {"held_after_untouched", "tt..pttt..ppttt."},
    {"every_3rd_held", "pttpttpttpttpttp"},
    {"first_half_held", "pppppppptttttttt"},
    {"last_half_held", "ttttttttpppppppp"},
    {"all_held", "pppppppppppppppp"},
    {"all_kinds", "tz.ptz.ptz.ptz.p"},
};

/// Holds pages, without a change to them, until it is destroyed: a pipe has them in it.
class HeldPages {
 public:
  HeldPages() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) Fail("pipe2");
    in_ = gpu::UniqueFd(ends[0]);
    out_ = gpu::UniqueFd(ends[1]);
  }
  void Hold(std::span<std::byte> page) {
    const iovec piece{page.data(), page.size()};
    if (vmsplice(out_.get(), &piece, 1, 0) != static_cast<ssize_t>(page.size())) Fail("vmsplice");
  }

 private:
  [[noreturn]] static void Fail(const char* call) {
    throw std::system_error(errno, std::generic_category(), call);
  }
  gpu::UniqueFd in_, out_;
};

class MixTest : public PrefetchTest {
 protected:
  void Touch(MigratedBuffer& buffer, std::string_view pages, HeldPages& held) {
    for (std::size_t page = 0; page < pages.size(); ++page) {
      if (pages[page] == 't' || pages[page] == 'p') {
        buffer.Write(page, static_cast<std::uint32_t>(0xBEEF0000U + page));
      } else if (pages[page] == 'z') {
        EXPECT_EQ(gpu::LoadAcquire(buffer.Word(page)), 0U);
      }
      if (pages[page] == 'p') held.Hold(buffer.Pages(page));
    }
  }

  // Written pages are on the GPU, held ones in system memory.
  void ExpectPlaces(const MigratedBuffer& buffer, std::string_view pages) {
    const std::string where = buffer.Where();
    for (std::size_t page = 0; page < pages.size(); ++page) {
      if (pages[page] != 't' && pages[page] != 'p') continue;
      EXPECT_EQ(where[page], pages[page] == 't' ? 'v' : 'm') << "page " << page << " of " << where;
    }
  }

  void Mix(std::string_view pages) {
    MigratedBuffer buffer(pages.size(), SvmMemory::Kind::kAnonymous, false);
    HeldPages held;
    Touch(buffer, pages, held);
    Allow(buffer.All(), {node()});
    MoveTo(buffer.All(), node());
    ExpectPlaces(buffer, pages);
    ExpectGpuReads(buffer);
    for (std::size_t page = 0; page < pages.size(); page += 3) {
      GpuWrites(buffer, page, static_cast<std::uint32_t>(0xFEED0000U + page));
    }
    MoveTo(buffer.All(), cpu_node());
    buffer.ExpectIntact();
  }
};

}  // namespace

KFD_TEST_CASES_F(Prefetch, OnlySomePagesMove, MixTest, kMixes,
                 .property =
                     "where some pages were never touched or cannot be moved, the others "
                     "move, and every page keeps its own contents for both sides",
                 .rules = "PRE-12 PRE-1 SVM-17", .guards = "BUG-32",
                 .needs = {Capability::kSvm, Capability::kPagemap}, .xnack = Xnack::kOn) {
  Mix(param().pages);
}

KFD_TEST_CASES_F(Prefetch, OnlySomePagesMoveNoRetry, MixTest, kMixes,
                 .property =
                     "with XNACK off, too, every page keeps its own contents where only "
                     "some move",
                 .rules = "PRE-12 PRE-1 SVM-17", .guards = "BUG-32", .scope = Scope::kFirstGpu,
                 .needs = {Capability::kSvm, Capability::kPagemap}, .xnack = Xnack::kOff) {
  Mix(param().pages);
}

}  // namespace kfdcts::suites
