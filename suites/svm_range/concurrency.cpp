// Calls, page faults and GPU work of many threads on one process's ranges.
#include <sys/mman.h>

#include <array>
#include <atomic>

#include "suites/support/threads.h"
#include "suites/svm_range/sharing_test.h"

namespace kfdcts::suites {
namespace {

// Pages that are unmapped and mapped again, where no GPU goes; then some in system memory, over
// which sets slide; then blocks of four, each a range of its own, which move.
constexpr std::size_t kPages = 64;
constexpr std::size_t kChurned = 16;
constexpr std::size_t kFirstBlock = 40;
constexpr std::size_t kBlock = 4;
constexpr std::size_t kBlocks = (kPages - kFirstBlock) / kBlock;
constexpr int kRounds = 60;

enum class Role {
  kSet,       ///< Attributes of intervals that slide over one another.
  kGet,       ///< Asks about the same.
  kMunmap,    ///< Unmaps and maps the first pages, with attributes in between.
  kPrefetch,  ///< Blocks to the GPU and back.
  kCpuTouch,  ///< Adds to a word of each of its pages.
  kGpuTouch,  ///< The GPU adds to another word of each page. One thread alone.
};

struct RolesCase {
  std::string_view name;
  std::vector<Role> roles;
};

const std::vector<RolesCase> kEitherWay = {
    {"sets", {Role::kSet, Role::kSet, Role::kSet}},
    {"sets_and_gpu", {Role::kSet, Role::kSet, Role::kGpuTouch}},
    {"set_and_get", {Role::kSet, Role::kSet, Role::kGet, Role::kGet}},
    {"set_and_munmap", {Role::kSet, Role::kGet, Role::kMunmap}},
    {"prefetch_and_cpu", {Role::kPrefetch, Role::kCpuTouch, Role::kCpuTouch}},
    {"prefetch_and_gpu", {Role::kPrefetch, Role::kGpuTouch}},
    {"prefetches", {Role::kPrefetch, Role::kPrefetch, Role::kGet}},
    {"munmap_and_gpu", {Role::kMunmap, Role::kGpuTouch, Role::kGet}},
};

std::vector<RolesCase> With(std::vector<RolesCase> cases, const std::vector<RolesCase>& more) {
  cases.insert(cases.end(), more.begin(), more.end());
  return cases;
}

const std::vector<RolesCase> kRoles = With(
    kEitherWay,
    {{"prefetch_cpu_and_gpu", {Role::kPrefetch, Role::kCpuTouch, Role::kGpuTouch}},
     {"everything",
      {Role::kSet, Role::kGet, Role::kMunmap, Role::kPrefetch, Role::kCpuTouch, Role::kGpuTouch}}});

// Without retry the data moves for one thread at a time while the GPU writes: on Linux 7.3 two
// changes at once let queues run while their pages go (svm_range_evict: the second one does not
// wait until the first has stopped the queues), and the GPU then writes to freed memory, which ends
// in an oops anywhere.
const std::vector<RolesCase> kRolesWithoutRetry = With(
    kEitherWay,
    {{"all_but_cpu", {Role::kSet, Role::kGet, Role::kMunmap, Role::kPrefetch, Role::kGpuTouch}}});

class ConcurrencyTest : public SharingTest {
 protected:
  void CheckRoles(const std::vector<Role>& roles) {
    const SvmMemory memory(kPages);
    const HSAuint32 node = gpu().node_id;
    ASSERT_EQ(Set(memory.Pages(kChurned, kFirstBlock - kChurned), {AccessInPlace(node)}),
              HSAKMT_STATUS_SUCCESS);
    for (std::size_t block = 0; block < kBlocks; ++block) {
      ASSERT_EQ(Set(Block(memory, block), {Access(node)}), HSAKMT_STATUS_SUCCESS);
    }
    Work();  // made before the threads begin
    std::atomic<std::uint32_t> by_cpu = 0;
    std::atomic<std::uint32_t> by_gpu = 0;
    InThreads(static_cast<int>(roles.size()), [&](int id) {
      for (int round = 0; round < kRounds && !HasFatalFailure(); ++round) {
        Step(roles[static_cast<std::size_t>(id)], memory, static_cast<std::size_t>(round + 7 * id),
             by_cpu, by_gpu);
      }
    });
    for (std::size_t page = kChurned; page < kPages; ++page) {
      EXPECT_EQ(memory.Word(page)[0], by_cpu.load() / (kPages - kChurned)) << "CPU, page " << page;
    }
    EXPECT_EQ(memory.Word(kFirstBlock)[1], by_gpu.load()) << "the GPU's additions";
    for (std::size_t page = kChurned; page < kPages; ++page) {
      EXPECT_EQ(memory.Word(page)[2], added_[page]) << "the GPU's additions, page " << page;
    }
  }

 private:
  static std::span<std::byte> Block(const SvmMemory& memory, std::size_t number) {
    return memory.Pages(kFirstBlock + number % kBlocks * kBlock, kBlock);
  }

  void Step(Role role, const SvmMemory& memory, std::size_t round,
            std::atomic<std::uint32_t>& by_cpu, std::atomic<std::uint32_t>& by_gpu) {
    const auto part = memory.Pages(kChurned + round % 16, 1 + round % 8);
    const HSAuint32 node = gpu().node_id;
    switch (role) {
      case Role::kSet:
        EXPECT_EQ(Set(part, {Granularity(static_cast<HSAuint32>(round % 10)),
                             round % 2 == 0 ? SetFlags(HSA_SVM_FLAG_GPU_EXEC)
                                            : ClearFlags(HSA_SVM_FLAG_GPU_EXEC)}),
                  HSAKMT_STATUS_SUCCESS);
        break;
      case Role::kGet:
        EXPECT_EQ(StateOf(part).access.at(node), HSA_SVM_ATTR_ACCESS_IN_PLACE);
        break;
      case Role::kMunmap:
        Churn(memory.Pages(round % 8, 8));
        break;
      case Role::kPrefetch:
        EXPECT_EQ(Set(Block(memory, round), {Prefetch(round % 2 == 0 ? node : cpu_node())}),
                  HSAKMT_STATUS_SUCCESS);
        break;
      case Role::kCpuTouch:
        for (std::size_t page = kChurned; page < kPages; ++page) {
          __atomic_fetch_add(memory.Word(page), 1, __ATOMIC_SEQ_CST);
        }
        by_cpu += static_cast<std::uint32_t>(kPages - kChurned);
        break;
      case Role::kGpuTouch:
        ASSERT_TRUE(Done(Work().Atomic(AtomicOp::kAdd32, memory.Word(kFirstBlock) + 1, 1)));
        ++by_gpu;
        AddByGpu(memory, kChurned + round % (kPages - kChurned));
        break;
    }
  }

  void AddByGpu(const SvmMemory& memory, std::size_t page) {
    ASSERT_TRUE(Done(Work().Atomic(AtomicOp::kAdd32, memory.Word(page) + 2, 1)));
    ++added_[page];
  }

  void Churn(std::span<std::byte> pages) const {
    EXPECT_EQ(Set(pages, {Granularity(5)}), HSAKMT_STATUS_SUCCESS);
    pages[0] = std::byte{1};
    MapAnew(pages);
  }

  std::array<std::uint32_t, kPages> added_{};  ///< By the GPU to each page; one thread's.
};

}  // namespace

KFD_TEST_CASES_F(SVMRange, ThreadsWithRetry, ConcurrencyTest, kRoles,
                 .property =
                     "threads that set, ask, unmap, prefetch and touch by CPU and GPU come "
                     "to an end, and no write is lost; XNACK on",
                 .rules = "SVM-19", .guards = "BUG-34 BUG-40 BUG-63", .needs = {Capability::kSvm},
                 .process = Process::kFresh, .xnack = harness::Xnack::kOn,
                 .time_limit = std::chrono::seconds(120)) {
  CheckRoles(param().roles);
}

KFD_TEST_CASES_F(SVMRange, ThreadsWithoutRetry, ConcurrencyTest, kRolesWithoutRetry,
                 .property =
                     "threads that set, ask, unmap, prefetch and touch by CPU and GPU come "
                     "to an end, and no write is lost; XNACK off",
                 .rules = "SVM-19", .guards = "BUG-34 BUG-40 BUG-63", .needs = {Capability::kSvm},
                 .process = Process::kFresh, .xnack = harness::Xnack::kOff,
                 .time_limit = std::chrono::seconds(120)) {
  CheckRoles(param().roles);
}

KFD_TEST_F(SVMRange, TwoGpusAtOnce, ConcurrencyTest,
           .property =
               "two GPUs that write the pages of one range at once, while it is prefetched "
               "to either, come to an end and lose nothing; XNACK on",
           .rules = "SVM-19 SVM-17", .scope = Scope::kEachGpuPair, .needs = {Capability::kSvm},
           .process = Process::kFresh, .xnack = harness::Xnack::kOn,
           .time_limit = std::chrono::seconds(120)) {
  const SvmMemory memory(kPages);
  ASSERT_EQ(Set(memory.All(), {Access(gpu(0).node_id), Access(gpu(1).node_id)}),
            HSAKMT_STATUS_SUCCESS);
  GpuWork* const works[] = {&Work(0), &Work(1)};
  InThreads(3, [&](int id) {
    for (std::uint32_t round = 0; round < 40; ++round) {
      const std::size_t page = round % kPages;
      if (id == 2) {
        EXPECT_EQ(Set(memory.Pages(page, 1), {Prefetch(gpu(round % 2).node_id)}),
                  HSAKMT_STATUS_SUCCESS);
      } else {
        ASSERT_TRUE(Done(works[id]->Write(memory.Word(page) + id, round + 1)));
      }
    }
  });
  for (std::size_t page = 0; page < 40; ++page) {
    EXPECT_EQ(memory.Word(page)[0], page + 1);
    EXPECT_EQ(memory.Word(page)[1], page + 1);
  }
}

}  // namespace kfdcts::suites
