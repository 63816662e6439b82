// fork(), opening and closing, and what is given back.
#include <fstream>
#include <limits>

#include "harness/probes/leak_check.h"
#include "harness/probes/proc_maps.h"
#include "harness/test_support/child.h"
#include "suites/support/memory_test.h"
#include "suites/support/threads.h"

namespace kfdcts::suites {
namespace {

/// A line of /proc/meminfo, in bytes.
std::uint64_t MemInfo(const std::string& key) {
  std::ifstream file("/proc/meminfo");
  std::string word;
  for (std::uint64_t value = 0; file >> word >> value;) {
    if (word == key + ":") return value * 1024;
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  throw std::runtime_error("/proc/meminfo has no " + key);
}

void Touch(void* start, std::size_t size) {
  for (std::size_t at = 0; at < size; at += PageSize()) {
    static_cast<volatile char*>(start)[at] = 1;
  }
}

}  // namespace

KFD_TEST_F(PointerInfo, PagedMemoryAfterFork, MemoryTest,
           .property =
               "a forked child reads and writes its parent's paged memory, and the parent's "
               "object is as before",
           .rules = "PTR-4 PTR-25", .guards = "BUG-17", .scope = Scope::kFirstGpu) {
  const Allocation memory = Allocate(MemoryKind::kSystem);
  Touch(memory.address(), memory.size());
  const PointerInfo before = Query(memory.address());
  const harness::ChildResult child = harness::RunInChild([&] {
    auto* const bytes = static_cast<volatile char*>(memory.address());
    for (std::size_t at = 0; at < memory.size(); at += PageSize()) EXPECT_EQ(bytes[at], 1);
    bytes[memory.size() - 1] = 2;
  });
  EXPECT_TRUE(child.Passed()) << child.Describe();
  EXPECT_EQ(Query(memory.address()), before);
}

KFD_TEST_CASES_F(PointerInfo, DeviceMemoryIsNotInherited, MemoryTest, kEveryKind,
                 .property =
                     "a forked child inherits no mapping of a GPU's device, and the parent's "
                     "memory is found as before",
                 .rules = "PTR-4 PTR-3", .guards = "BUG-18", .scope = Scope::kFirstGpu) {
  const Allocation memory = Allocate(param().kind);
  MapToNodes(thunk(), memory.address(), memory.size(), {gpu().node_id});
  const harness::ChildResult child = harness::RunInChild([] {
    for (const harness::MappedRegion& region : harness::ReadMaps()) {
      EXPECT_FALSE(region.name.starts_with("/dev/dri/") || region.name.starts_with("/dev/kfd"))
          << region.name;
    }
  });
  EXPECT_TRUE(child.Passed()) << child.Describe();
  EXPECT_EQ(MappedNodes(Query(memory.address())), std::set<HSAuint32>{gpu().node_id});
}

KFD_TEST_F(PointerInfo, ForkInTheMiddle, MemoryTest,
           .property =
               "a child forked while other threads allocate and query opens KFD and finds its own "
               "objects",
           .rules = "PTR-25 PTR-3", .scope = Scope::kFirstGpu) {
  const Allocation memory = Allocate(MemoryKind::kVram);
  Against(
      2,
      [&] {
        Query(memory.address());
        const HsaMemFlags flags = FlagsFor(MemoryKind::kVram);
        void* address = nullptr;
        thunk().hsaKmtAllocMemory(gpu().node_id, PageSize(), flags, &address);
        thunk().hsaKmtFreeMemory(address, PageSize());
      },
      [&] {
        const harness::ChildResult child = harness::RunInChild([&] {
          OpenKfd();
          EXPECT_TRUE(Query(memory.address()).Unknown());
          const Allocation own = Allocate(MemoryKind::kGtt);
          EXPECT_EQ(Query(own.address()).type, HSA_POINTER_ALLOCATED);
          CloseKfd();
        });
        EXPECT_TRUE(child.Passed()) << child.Describe();
      });
  EXPECT_EQ(Query(memory.address()).type, HSA_POINTER_ALLOCATED);
}

KFD_TEST_F(PointerInfo, OpenAndCloseLeaveNothing, MemoryTest,
           .property =
               "opening KFD, making an event and memory of each kind, and closing leave nothing, "
               "time after time",
           .rules = "PTR-3 PTR-17", .guards = "BUG-21", .scope = Scope::kFirstGpu,
           .kfd = KfdState::kClosed, .process = Process::kFresh) {
  const auto cycle = [&] {
    OpenKfd();
    HsaEventDescriptor descriptor{};
    HsaEvent* event = nullptr;
    Check("hsaKmtCreateEvent", thunk().hsaKmtCreateEvent(&descriptor, true, false, &event));
    for (const KindCase& one : kEveryKind) const Allocation memory = Allocate(one.kind);
    Check("hsaKmtDestroyEvent", thunk().hsaKmtDestroyEvent(event));
    CloseKfd();
  };
  cycle();
  const harness::Holdings before = harness::TakeHoldings(nullptr);
  for (int round = 0; round < 3; ++round) cycle();
  for (const auto& leak : harness::Compare(before, harness::TakeHoldings(nullptr))) {
    ADD_FAILURE() << "left behind: " << leak;
  }
}

struct HostKindCase {
  std::string_view name;
  MemoryKind kind;
  std::string_view counter;
};
constexpr HostKindCase kHostKinds[] = {
    {"gtt", MemoryKind::kGtt, "Shmem"},
    {"system", MemoryKind::kSystem, "Shmem"},
};

KFD_TEST_CASES_F(PointerInfo, FreedPagesComeBack, MemoryTest, kHostKinds,
                 .property = "host memory that was touched and freed is the system's again",
                 .rules = "PTR-3", .guards = "BUG-22", .scope = Scope::kFirstGpu) {
  const std::size_t pages = (std::size_t{16} << 20) / PageSize();
  const std::uint64_t before = MemInfo(std::string(param().counter));
  for (int round = 0; round < 8; ++round) {
    const Allocation memory = Allocate(param().kind, pages);
    Touch(memory.address(), memory.size());
  }
  const std::uint64_t after = MemInfo(std::string(param().counter));
  EXPECT_LT(after, before + pages * PageSize());
}

}  // namespace kfdcts::suites
