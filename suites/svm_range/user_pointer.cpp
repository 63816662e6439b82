// Host memory registered without SVM, as a user-pointer object: the other way by which the driver
// follows the CPU's page tables.
#include <sys/mman.h>

#include "suites/svm_range/sharing_test.h"

namespace kfdcts::suites {
namespace {

constexpr std::size_t kPages = 16;

struct Change {
  std::string_view name;
  /// Leaves the memory with the pattern of seed 2.
  void (*apply)(const SvmMemory& memory);
};

constexpr Change kChanges[] = {
    {"written", [](const SvmMemory& memory) { memory.FillPattern(2); }},
    {"dropped",
     [](const SvmMemory& memory) {
       ASSERT_EQ(madvise(memory.Word(0), memory.All().size(), MADV_DONTNEED), 0);
       memory.FillPattern(2);
     }},
    {"mapped_anew",
     [](const SvmMemory& memory) {
       MapAnew(memory.All());
       memory.FillPattern(2);
     }},
    {"half_mapped_anew",
     [](const SvmMemory& memory) {
       const auto half = memory.Pages(kPages / 2, kPages / 2);
       MapAnew(half);
       memory.FillPattern(2);
     }},
    {"read_only_and_back",
     [](const SvmMemory& memory) {
       ASSERT_EQ(mprotect(memory.Word(0), memory.All().size(), PROT_READ), 0);
       ASSERT_EQ(mprotect(memory.Word(0), memory.All().size(), PROT_READ | PROT_WRITE), 0);
       memory.FillPattern(2);
     }},
};

/// Registered and mapped; both undone in the end.
class UserPointer {
 public:
  UserPointer(const harness::ThunkApi& thunk, const SvmMemory& memory)
      : thunk_(thunk), start_(memory.Word(0)), registration_(thunk, start_, memory.All().size()) {
    HSAuint64 mapped = 0;
    Check("hsaKmtMapMemoryToGPU", thunk.hsaKmtMapMemoryToGPU(start_, memory.All().size(), &mapped));
    at_gpu_ = mapped == 0 ? start_ : reinterpret_cast<void*>(mapped);
  }
  ~UserPointer() { thunk_.hsaKmtUnmapMemoryToGPU(start_); }
  UserPointer(const UserPointer&) = delete;
  UserPointer& operator=(const UserPointer&) = delete;

  std::byte* at_gpu() const { return static_cast<std::byte*>(at_gpu_); }

 private:
  const harness::ThunkApi& thunk_;
  void* start_;
  Registration registration_;
  void* at_gpu_ = nullptr;
};

}  // namespace

KFD_TEST_CASES_F(SVMRange, UserPointerFollows, SharingTest, kChanges,
                 .property =
                     "a GPU that reaches host memory by a user-pointer object sees what the "
                     "CPU's page tables show at any time, and the CPU what the GPU writes",
                 .rules = "SVM-15 SVM-17", .guards = "BUG-45", .needs = {Capability::kSvm},
                 .environment = {"HSA_USE_SVM=0"}, .process = Process::kFresh) {
  const SvmMemory memory(kPages);
  memory.FillPattern(1);
  const UserPointer pointer(thunk(), memory);
  std::vector<std::byte> seen(memory.All().size());
  ASSERT_TRUE(Done(Work().Read(pointer.at_gpu(), seen)));
  EXPECT_EQ(gpu::FirstMismatch(seen, 1), seen.size());
  param().apply(memory);
  ASSERT_TRUE(Done(Work().Read(pointer.at_gpu(), seen)));
  EXPECT_EQ(gpu::FirstMismatch(seen, 2), seen.size());
  ASSERT_TRUE(Done(Work().Write(pointer.at_gpu() + 3 * PageSize(), 0x77)));
  EXPECT_EQ(gpu::LoadAcquire(memory.Word(3)), 0x77U);
}

KFD_TEST_F(SVMRange, UserPointerUnmapped, SharingTest,
           .property =
               "after munmap of registered memory the process's queues work on, the memory "
               "is deregistered, and its place can be used and registered again",
           .rules = "SVM-15 SVM-17", .guards = "BUG-45", .needs = {Capability::kSvm},
           .environment = {"HSA_USE_SVM=0"}, .process = Process::kFresh) {
  const SvmMemory other(1);
  ASSERT_EQ(Set(other.All(), {Access(gpu().node_id)}), HSAKMT_STATUS_SUCCESS);
  const SvmMemory memory(kPages);
  memory.FillPattern(1);
  {
    const UserPointer pointer(thunk(), memory);
    ASSERT_TRUE(Done(Work().Write(pointer.at_gpu(), 0x11)));
    ASSERT_EQ(munmap(memory.Word(0), memory.All().size()), 0);
    ASSERT_TRUE(Done(Work().Write(other.Word(0), 0x22)));
    EXPECT_EQ(gpu::LoadAcquire(other.Word(0)), 0x22U);
  }
  ASSERT_EQ(mmap(memory.Word(0), memory.All().size(), PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0),
            memory.Word(0));
  memory.FillPattern(3);
  const UserPointer pointer(thunk(), memory);
  std::vector<std::byte> seen(memory.All().size());
  ASSERT_TRUE(Done(Work().Read(pointer.at_gpu(), seen)));
  EXPECT_EQ(gpu::FirstMismatch(seen, 3), seen.size());
}

}  // namespace kfdcts::suites
