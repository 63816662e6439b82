// XNACK off: page tables change while the memory of a change before is being restored.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "suites/races/race_test.h"

namespace kfdcts::suites {
namespace {

/// Shared memory whose pages another file descriptor can take away without the mapping's lock.
class PunchableMemory {
 public:
  explicit PunchableMemory(std::size_t pages)
      : file_(memfd_create("kfdcts", MFD_CLOEXEC)), bytes_(pages * PageSize()) {
    if (!file_.valid() || ftruncate(file_.get(), static_cast<off_t>(bytes_)) != 0) Fail("memfd");
    void* const start = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0);
    if (start == MAP_FAILED) Fail("mmap");
    start_ = static_cast<std::byte*>(start);
  }
  ~PunchableMemory() { munmap(start_, bytes_); }
  PunchableMemory(const PunchableMemory&) = delete;
  PunchableMemory& operator=(const PunchableMemory&) = delete;

  std::span<std::byte> All() const { return {start_, bytes_}; }
  std::uint32_t* Word() const { return reinterpret_cast<std::uint32_t*>(start_); }
  /// All pages are gone, and read zero.
  void Punch() const {
    if (fallocate(file_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
                  static_cast<off_t>(bytes_)) != 0) {
      Fail("fallocate");
    }
  }

 private:
  [[noreturn]] static void Fail(const char* call) {
    throw std::system_error(errno, std::generic_category(), call);
  }

  gpu::UniqueFd file_;
  std::size_t bytes_;
  std::byte* start_ = nullptr;
};

class HeldRestore : public RaceTest {};

}  // namespace

KFD_TEST_F(XNACK, EvictionsOverlapRestores, HeldRestore,
           .property =
               "changes that come at any time of restores are each followed by one: what the "
               "GPU reads after a change is what was written after it",
           .rules = "XNK-7 SVM-15", .guards = "BUG-44", .scope = Scope::kFirstGpu,
           .needs = {Capability::kSvm}, .process = Process::kFresh, .xnack = Xnack::kOff) {
  const PunchableMemory first(1), second(1);
  ASSERT_EQ(Set(first.All(), {Access(gpu().node_id)}), HSAKMT_STATUS_SUCCESS);
  ASSERT_EQ(Set(second.All(), {Access(gpu().node_id)}), HSAKMT_STATUS_SUCCESS);
  EventLog events(thunk(), gpu());
  for (std::uint32_t round = 1; round <= 20; ++round) {
    *first.Word() = *second.Word() = 0xDEAD;
    first.Punch();
    second.Punch();
    *first.Word() = round;
    *second.Word() = round + 1000;
    EXPECT_EQ(GpuRead(first.Word()), round);
    EXPECT_EQ(GpuRead(second.Word()), round + 1000);
    events.All();
  }
  EXPECT_TRUE(events.WaitForQueuesBack(1)) << events.Text();
}

}  // namespace kfdcts::suites
