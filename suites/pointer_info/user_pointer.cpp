// Memory of the process that was registered, by a thunk that keeps an object for it
// (HSA_USE_SVM=0).
#include "suites/support/memory_test.h"

namespace kfdcts::suites {
namespace {

/// A distance in pages, whatever their size, and bytes.
struct Distance {
  std::size_t pages;
  std::ptrdiff_t bytes;

  std::size_t Bytes() const {
    return static_cast<std::size_t>(static_cast<std::ptrdiff_t>(pages * PageSize()) + bytes);
  }
};

struct RangeCase {
  std::string_view name;
  Distance start;  ///< From the start of a page.
  Distance length;
};
constexpr RangeCase kRanges[] = {
    {"whole_page", {0, 0}, {1, 0}},      {"part_of_page", {0, 256}, {0, 512}},
    {"one_byte", {0, 77}, {0, 1}},       {"across_pages", {1, -96}, {0, 97}},
    {"unaligned_end", {0, 0}, {1, 904}}, {"unaligned_pages", {0, 16}, {2, 32}},
};
constexpr std::size_t kPages = 5;  // enough for each, and a page before it

/// Host pages with one registered range in them, past the first page: what lies before them all may
/// be the thunk's.
class UserPointerTest : public MemoryTest {
 protected:
  void* Start(const RangeCase& range) const { return pages_.At(PageSize() + range.start.Bytes()); }
  const void* At(const RangeCase& range, std::ptrdiff_t offset) const {
    return static_cast<const std::byte*>(Start(range)) + offset;
  }

 private:
  HostPages pages_{kPages};
};

}  // namespace

KFD_TEST_CASES_F(PointerInfo, UserPointerType, UserPointerTest, kRanges,
                 .property = "a registered user pointer is REGISTERED_USER",
                 .rules = "PTR-5 PTR-9 PTR-12", .scope = Scope::kFirstGpu,
                 .environment = {"HSA_USE_SVM=0"}) {
  const Registration registration(thunk(), Start(param()), param().length.Bytes());
  const PointerInfo info = Query(Start(param()));
  EXPECT_EQ(info.status, HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(info.type, HSA_POINTER_REGISTERED_USER);
}

KFD_TEST_CASES_F(PointerInfo, UserPointerCpuAddress, UserPointerTest, kRanges,
                 .property = "CPUAddress is the user's pointer, not its page", .rules = "PTR-5",
                 .scope = Scope::kFirstGpu, .environment = {"HSA_USE_SVM=0"}) {
  const Registration registration(thunk(), Start(param()), param().length.Bytes());
  EXPECT_EQ(Query(Start(param())).cpu_address, Start(param()));
}

KFD_TEST_CASES_F(PointerInfo, UserPointerSize, UserPointerTest, kRanges,
                 .property = "SizeInBytes is the user's length, not rounded to pages",
                 .rules = "PTR-5", .scope = Scope::kFirstGpu, .environment = {"HSA_USE_SVM=0"}) {
  const Registration registration(thunk(), Start(param()), param().length.Bytes());
  EXPECT_EQ(Query(Start(param())).size, param().length.Bytes());
}

KFD_TEST_CASES_F(PointerInfo, UserPointerGpuAddress, UserPointerTest, kRanges,
                 .property =
                     "GPUAddress carries the pointer's offset in its page, and finds the "
                     "object too",
                 .rules = "PTR-5 PTR-12", .scope = Scope::kFirstGpu,
                 .environment = {"HSA_USE_SVM=0"}) {
  const Registration registration(thunk(), Start(param()), param().length.Bytes());
  const HSAuint64 gpu_address = Query(Start(param())).gpu_address;
  EXPECT_EQ(gpu_address % PageSize(), param().start.Bytes() % PageSize());
  const PointerInfo by_gpu_address = suites::Query(thunk(), gpu_address);
  EXPECT_EQ(by_gpu_address.type, HSA_POINTER_REGISTERED_USER);
  EXPECT_EQ(by_gpu_address.cpu_address, Start(param()));
}

KFD_TEST_CASES_F(PointerInfo, UserPointerEdges, UserPointerTest, kRanges,
                 .property =
                     "the user's last byte finds the object; the bytes around it, of the "
                     "same page, do not",
                 .rules = "PTR-5 PTR-11", .scope = Scope::kFirstGpu,
                 .environment = {"HSA_USE_SVM=0"}) {
  const Registration registration(thunk(), Start(param()), param().length.Bytes());
  const auto size = static_cast<std::ptrdiff_t>(param().length.Bytes());
  EXPECT_EQ(Query(At(param(), size - 1)).cpu_address, Start(param()));
  EXPECT_TRUE(Query(At(param(), -1)).Unknown());
  EXPECT_TRUE(Query(At(param(), size)).Unknown());
}

KFD_TEST_CASES_F(PointerInfo, UserPointerDeregistered, UserPointerTest, kRanges,
                 .property = "a deregistered user pointer is unknown", .rules = "PTR-3",
                 .scope = Scope::kFirstGpu, .environment = {"HSA_USE_SVM=0"}) {
  Registration registration(thunk(), Start(param()), param().length.Bytes());
  ASSERT_TRUE(Query(Start(param())).Found());
  ASSERT_EQ(registration.Deregister(), HSAKMT_STATUS_SUCCESS);
  EXPECT_TRUE(Query(Start(param())).Unknown());
}

struct CoarseGrainCase {
  std::string_view name;
  bool coarse;
};
constexpr CoarseGrainCase kCoarseGrain[] = {{"coarse", true}, {"fine", false}};

KFD_TEST_CASES_F(PointerInfo, UserPointerFlags, UserPointerTest, kCoarseGrain,
                 .property = "MemFlags of a user pointer tell coarse from fine grain",
                 .rules = "PTR-18", .scope = Scope::kFirstGpu, .environment = {"HSA_USE_SVM=0"}) {
  HsaMemFlags flags{};
  flags.ui32.HostAccess = 1;
  flags.ui32.CoarseGrain = param().coarse;
  void* const start = Start(kRanges[0]);
  Check("hsaKmtRegisterMemoryWithFlags",
        thunk().hsaKmtRegisterMemoryWithFlags(start, PageSize(), flags));
  HsaMemFlags found{};
  found.Value = Query(start).flags;
  EXPECT_EQ(found.ui32.CoarseGrain, static_cast<unsigned>(param().coarse));
  EXPECT_EQ(thunk().hsaKmtDeregisterMemory(start), HSAKMT_STATUS_SUCCESS);
}

KFD_TEST_F(PointerInfo, AdjacentUserPointers, UserPointerTest,
           .property = "of two registered ranges side by side each address finds its own",
           .rules = "PTR-5 PTR-11", .scope = Scope::kFirstGpu, .environment = {"HSA_USE_SVM=0"}) {
  const RangeCase left{"left", {0, 100}, {0, 900}};
  const RangeCase right{"right", {0, 1000}, {0, 500}};
  const Registration first(thunk(), Start(left), left.length.Bytes());
  const Registration second(thunk(), Start(right), right.length.Bytes());
  EXPECT_EQ(Query(At(left, 899)).cpu_address, Start(left));
  EXPECT_EQ(Query(At(right, 0)).cpu_address, Start(right));
  EXPECT_EQ(Query(At(right, 499)).size, right.length.Bytes());
}

}  // namespace kfdcts::suites
