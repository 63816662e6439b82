// Changes of the CPU's page tables under a range that the GPU uses.
#include <sys/mman.h>

#include <functional>

#include "harness/test_support/child.h"
#include "suites/svm_range/sharing_test.h"

namespace kfdcts::suites {
namespace {

using Kind = SvmMemory::Kind;

constexpr int kMadvCold = 20;      // <linux/mman.h> of 5.4
constexpr int kMadvPageOut = 21;   // 5.4
constexpr int kMadvCollapse = 25;  // 6.1

void Protect(const SvmMemory& memory, int rights) {
  ASSERT_EQ(mprotect(memory.Word(0), memory.All().size(), rights), 0);
}

/// An advice that a kernel does not know changes nothing, which is as good.
void Advise(const SvmMemory& memory, int advice) {
  static_cast<void>(madvise(memory.Word(0), memory.All().size(), advice));
}

void Fork(const std::function<void()>& body) {
  const harness::ChildResult child = harness::RunInChild(body);
  EXPECT_TRUE(child.Passed()) << child.Describe();
}

struct Change {
  std::string_view name;
  Kind kind;
  void (*apply)(const SvmMemory& memory);
};

constexpr Change kHarmless[] = {
    {"nothing", Kind::kAnonymous, [](const SvmMemory&) {}},
    {"fork_and_exit", Kind::kAnonymous, [](const SvmMemory&) { Fork([] {}); }},
    {"fork_and_read", Kind::kAnonymous,
     [](const SvmMemory& memory) { Fork([&] { memory.ExpectPattern(1); }); }},
    {"fork_and_write", Kind::kAnonymous,
     [](const SvmMemory& memory) { Fork([&] { memory.FillPattern(2); }); }},
    {"fork_of_huge_pages", Kind::kHuge,
     [](const SvmMemory& memory) { Fork([&] { memory.FillPattern(2); }); }},
    {"fork_of_private_file", Kind::kFilePrivate,
     [](const SvmMemory& memory) { Fork([&] { memory.FillPattern(2); }); }},
    {"dontfork", Kind::kAnonymous,
     [](const SvmMemory& memory) {
       Advise(memory, MADV_DONTFORK);
       Fork([] {});
     }},
    {"read_only_and_back", Kind::kAnonymous,
     [](const SvmMemory& memory) {
       Protect(memory, PROT_READ);
       Protect(memory, PROT_READ | PROT_WRITE);
     }},
    {"no_rights_and_back", Kind::kAnonymous,
     [](const SvmMemory& memory) {
       Protect(memory, PROT_NONE);
       Protect(memory, PROT_READ | PROT_WRITE);
     }},
    {"rights_of_huge_pages", Kind::kHuge,
     [](const SvmMemory& memory) {
       Protect(memory, PROT_READ);
       Protect(memory, PROT_READ | PROT_WRITE);
     }},
    {"rights_of_one_page", Kind::kHuge,
     [](const SvmMemory& memory) {
       ASSERT_EQ(mprotect(memory.Word(7), PageSize(), PROT_READ), 0);
       ASSERT_EQ(mprotect(memory.Word(7), PageSize(), PROT_READ | PROT_WRITE), 0);
     }},
    {"lock_and_unlock", Kind::kAnonymous,
     [](const SvmMemory& memory) {
       ASSERT_EQ(mlock(memory.Word(0), memory.All().size()), 0);
       ASSERT_EQ(munlock(memory.Word(0), memory.All().size()), 0);
     }},
    {"cold", Kind::kAnonymous, [](const SvmMemory& memory) { Advise(memory, kMadvCold); }},
    {"page_out", Kind::kAnonymous, [](const SvmMemory& memory) { Advise(memory, kMadvPageOut); }},
    {"page_out_of_file", Kind::kFileShared,
     [](const SvmMemory& memory) { Advise(memory, kMadvPageOut); }},
    {"page_out_of_huge_pages", Kind::kHuge,
     [](const SvmMemory& memory) { Advise(memory, kMadvPageOut); }},
    {"drop_of_shared", Kind::kShared,
     [](const SvmMemory& memory) { Advise(memory, MADV_DONTNEED); }},
    {"drop_of_shared_file", Kind::kFileShared,
     [](const SvmMemory& memory) { Advise(memory, MADV_DONTNEED); }},
    {"no_more_huge_pages", Kind::kHuge,
     [](const SvmMemory& memory) { Advise(memory, MADV_NOHUGEPAGE); }},
    {"collapse", Kind::kHuge,
     [](const SvmMemory& memory) {
       // Pieces first, so that there is something to put together.
       ASSERT_EQ(mprotect(memory.Word(7), PageSize(), PROT_READ), 0);
       ASSERT_EQ(mprotect(memory.Word(7), PageSize(), PROT_READ | PROT_WRITE), 0);
       Advise(memory, kMadvCollapse);
     }},
    {"write_back", Kind::kFileShared,
     [](const SvmMemory& memory) {
       ASSERT_EQ(msync(memory.Word(0), memory.All().size(), MS_SYNC), 0);
     }},
};

constexpr Change kZeroing[] = {
    {"drop", Kind::kAnonymous, [](const SvmMemory& memory) { Advise(memory, MADV_DONTNEED); }},
    {"drop_of_huge_pages", Kind::kHuge,
     [](const SvmMemory& memory) { Advise(memory, MADV_DONTNEED); }},
    {"drop_of_private_file", Kind::kFilePrivate,
     [](const SvmMemory& memory) { Advise(memory, MADV_DONTNEED); }},
    {"remove_of_shared", Kind::kShared,
     [](const SvmMemory& memory) { Advise(memory, MADV_REMOVE); }},
    {"drop_without_rights", Kind::kAnonymous,
     [](const SvmMemory& memory) {
       Protect(memory, PROT_NONE);
       Advise(memory, MADV_DONTNEED);
       Protect(memory, PROT_READ | PROT_WRITE);
     }},
};

class CpuChangeTest : public SharingTest {
 protected:
  static std::size_t PagesOf(Kind kind) {
    return kind == Kind::kHuge ? (std::size_t{4} << 20U) / PageSize() : 16;
  }

  void CheckHarmless(const Change& change, Placement placement) {
    const SvmMemory memory(PagesOf(change.kind), change.kind);
    Share(memory, placement, 1);
    ExpectGpuSees(memory, 1);
    change.apply(memory);
    ExpectGpuSees(memory, 1);
    memory.ExpectPattern(1);
    ExpectOneMemory(memory, 7, 8);
    ExpectOneMemory(memory, 9, 7);
  }

  void CheckZeroing(const Change& change, Placement placement) {
    const SvmMemory memory(PagesOf(change.kind), change.kind);
    Share(memory, placement, 1);
    ExpectGpuSees(memory, 1);
    change.apply(memory);
    ExpectGpuSeesZero(memory.Pages(0, 8));
    ExpectZero(memory.All(), "the CPU");
    ExpectGpuSeesZero(memory.All());
    ExpectOneMemory(memory, 7, 8);
  }
};

}  // namespace

#define KFDCTS_KEEPS \
  "what the CPU's page tables go through changes nothing of the data that a GPU reaches "
#define KFDCTS_ZEROES "what makes the CPU read zero makes the GPU read zero, for memory that is "

KFD_TEST_CASES_F(SVMRange, ChangeKeepsSystemMemoryWithRetry, CpuChangeTest, kHarmless,
                 .property = KFDCTS_KEEPS "in system memory; XNACK on", .rules = "SVM-15 SVM-17",
                 .needs = {Capability::kSvm}, .xnack = harness::Xnack::kOn) {
  CheckHarmless(param(), Placement::kSystem);
}

KFD_TEST_CASES_F(SVMRange, ChangeKeepsSystemMemoryWithoutRetry, CpuChangeTest, kHarmless,
                 .property = KFDCTS_KEEPS "in system memory; XNACK off", .rules = "SVM-15 SVM-17",
                 .needs = {Capability::kSvm}, .xnack = harness::Xnack::kOff) {
  CheckHarmless(param(), Placement::kSystem);
}

KFD_TEST_CASES_F(SVMRange, ChangeKeepsVramWithRetry, CpuChangeTest, kHarmless,
                 .property = KFDCTS_KEEPS "in VRAM; XNACK on", .rules = "SVM-15 SVM-17",
                 .needs = {Capability::kSvm}, .xnack = harness::Xnack::kOn) {
  CheckHarmless(param(), Placement::kVram);
}

KFD_TEST_CASES_F(SVMRange, ChangeKeepsVramWithoutRetry, CpuChangeTest, kHarmless,
                 .property = KFDCTS_KEEPS "in VRAM; XNACK off", .rules = "SVM-15 SVM-17",
                 .needs = {Capability::kSvm}, .xnack = harness::Xnack::kOff) {
  CheckHarmless(param(), Placement::kVram);
}

KFD_TEST_CASES_F(SVMRange, DropZeroesSystemMemoryWithRetry, CpuChangeTest, kZeroing,
                 .property = KFDCTS_ZEROES "in system memory; XNACK on", .rules = "SVM-15",
                 .needs = {Capability::kSvm}, .xnack = harness::Xnack::kOn) {
  CheckZeroing(param(), Placement::kSystem);
}

KFD_TEST_CASES_F(SVMRange, DropZeroesSystemMemoryWithoutRetry, CpuChangeTest, kZeroing,
                 .property = KFDCTS_ZEROES "in system memory; XNACK off", .rules = "SVM-15",
                 .needs = {Capability::kSvm}, .xnack = harness::Xnack::kOff) {
  CheckZeroing(param(), Placement::kSystem);
}

KFD_TEST_CASES_F(SVMRange, DropZeroesVramWithRetry, CpuChangeTest, kZeroing,
                 .property = KFDCTS_ZEROES "in VRAM; XNACK on", .rules = "SVM-15",
                 .guards = "BUG-56", .needs = {Capability::kSvm}, .xnack = harness::Xnack::kOn) {
  CheckZeroing(param(), Placement::kVram);
}

KFD_TEST_CASES_F(SVMRange, DropZeroesVramWithoutRetry, CpuChangeTest, kZeroing,
                 .property = KFDCTS_ZEROES "in VRAM; XNACK off", .rules = "SVM-15",
                 .guards = "BUG-56", .needs = {Capability::kSvm}, .xnack = harness::Xnack::kOff) {
  CheckZeroing(param(), Placement::kVram);
}

}  // namespace kfdcts::suites
