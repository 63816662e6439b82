// XNACK off: page tables change while the memory of a change before is being restored.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "suites/races/race_test.h"

namespace kfdcts::suites {
namespace {

constexpr std::size_t kPages = 16;

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

// The restore work waits for the migration, which waits for the held copies.
KFD_TEST_F(XNACK, EvictionWhileRestoreWaits, HeldRestore,
           .property =
               "memory that changes while an earlier change's restore is under way is "
               "restored with it: the GPU sees neither old page",
           .rules = "XNK-7 SVM-15 SVM-19", .scope = Scope::kFirstGpu,
           .needs = {Capability::kSvm, Capability::kPagemap, Capability::kDirector},
           .process = Process::kFresh, .xnack = Xnack::kOff, .time_limit = kRaceLimit) {
  const SvmMemory moving(kPages);
  moving.FillPattern(1);
  const PunchableMemory shared(4);
  *shared.Word() = 0x01d;
  ASSERT_EQ(Set(moving.All(), {Access(gpu().node_id), Prefetch(gpu().node_id)}),
            HSAKMT_STATUS_SUCCESS);
  ASSERT_EQ(Set(shared.All(), {Access(gpu().node_id)}), HSAKMT_STATUS_SUCCESS);
  GpuWork& work = Work(0, Engine::kPm4);
  ASSERT_TRUE(Done(work.Write(moving.Word(2), 0xA)));
  ASSERT_TRUE(Done(work.Atomic(AtomicOp::kAdd32, shared.Word(), 1)));
  EventLog events(thunk(), gpu());
  std::uint32_t seen = 0;
  Aside touch([&] { seen = gpu::LoadAcquire(moving.Word(2)); });
  DirectorHold hold = Device().HoldCopies();
  touch.Start();
  ASSERT_TRUE(events.WaitFor(KFD_SMI_EVENT_QUEUE_EVICTION)) << events.Text();
  ASSERT_TRUE(WaitForHeldCopies());
  shared.Punch();
  hold.Release();
  ASSERT_TRUE(touch.Ends());
  EXPECT_EQ(seen, 0xAU);
  EXPECT_TRUE(events.WaitForQueuesBack()) << events.Text();
  std::uint32_t value = 1;
  ASSERT_TRUE(Done(work.Read(shared.Word(), value)));
  EXPECT_EQ(value, 0U);
  ASSERT_TRUE(Done(work.Atomic(AtomicOp::kAdd32, moving.Word(2), 1)));
  EXPECT_EQ(*moving.Word(2), 0xBU);
  moving.ExpectPattern(1, 3, kPages - 3);
}

// The held engine is the one that takes queues off, so that the first change stands in the middle.
KFD_TEST_F(XNACK, EvictionWaitsForTheFirst, HeldRestore,
           .property =
               "a change that comes while the queues are being stopped for another one waits "
               "until they stand: no page is given away under a running queue",
           .rules = "XNK-7 SVM-15", .guards = "BUG-60", .scope = Scope::kFirstGpu,
           .needs = {Capability::kSvm, Capability::kDirector}, .process = Process::kFresh,
           .xnack = Xnack::kOff, .time_limit = kRaceLimit) {
  constexpr std::chrono::milliseconds kLongEnough{1000};
  const PunchableMemory first(1), second(1);
  ASSERT_EQ(Set(first.All(), {Access(gpu().node_id)}), HSAKMT_STATUS_SUCCESS);
  ASSERT_EQ(Set(second.All(), {Access(gpu().node_id)}), HSAKMT_STATUS_SUCCESS);
  ASSERT_TRUE(Done(Work().Write(second.Word(), 5)));
  EventLog events(thunk(), gpu());
  Aside change_first([&] { first.Punch(); }), change_second([&] { second.Punch(); });
  DirectorHold hold = Device().HoldEngine("cp");
  change_first.Start();
  ASSERT_TRUE(events.WaitFor(KFD_SMI_EVENT_QUEUE_EVICTION)) << events.Text();
  change_second.Start();
  EXPECT_FALSE(change_second.Ends(gpu::Deadline(kLongEnough)));
  EXPECT_FALSE(change_first.Ends(gpu::Deadline(std::chrono::milliseconds(0))));
  hold.Release();
  ASSERT_TRUE(change_first.Ends());
  ASSERT_TRUE(change_second.Ends());
  EXPECT_TRUE(events.WaitForQueuesBack()) << events.Text();
  EXPECT_EQ(GpuRead(second.Word()), 0U);
}

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
