// Handles and arguments of sharing that must be refused.
#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "suites/support/shared_test.h"

namespace kfdcts::suites {
namespace {

struct FillCase {
  std::string_view name;
  HSAuint32 word;
};
constexpr FillCase kFills[] = {
    {"zeroes", 0}, {"ones", 0xffffffff}, {"pattern", 0xa5a5a5a5}, {"small", 1}};

struct WordCase {
  std::string_view name;
  std::size_t index;
};
constexpr WordCase kWords[] = {
    {"word0", 0}, {"word1", 1}, {"word2", 2}, {"word3", 3},
    {"word4", 4}, {"word5", 5}, {"word6", 6}, {"word7", 7},
};

}  // namespace

KFD_TEST_CASES_F(PointerInfo, GarbageHandle, SharedTest, kFills,
                 .property = "a handle that no process gave is INVALID_HANDLE, time after time",
                 .rules = "PTR-7", .guards = "BUG-50", .scope = Scope::kFirstGpu,
                 .needs = {Capability::kSharedMemory}) {
  SharedHandle handle;
  std::fill(std::begin(handle.words), std::end(handle.words), param().word);
  for (int round = 0; round < 50; ++round) {
    ASSERT_EQ(TryImport(thunk(), handle), HSAKMT_STATUS_INVALID_HANDLE) << round;
  }
}

KFD_TEST_CASES_F(PointerInfo, ForgedHandle, SharedTest, kWords,
                 .property =
                     "a handle with one bit changed, in any of its words, is INVALID_HANDLE, while "
                     "the handle itself is good",
                 .rules = "PTR-7", .guards = "BUG-29", .scope = Scope::kFirstGpu,
                 .needs = {Capability::kSharedMemory}) {
  const Allocation memory = Allocate(MemoryKind::kVram);
  const SharedHandle handle = Share(memory);
  InPeer([&] {
    for (const unsigned bit : {0U, 15U, 31U}) {
      SharedHandle forged = handle;
      forged.words[param().index] ^= 1U << bit;
      EXPECT_EQ(TryImport(thunk(), forged), HSAKMT_STATUS_INVALID_HANDLE) << "bit " << bit;
    }
    EXPECT_EQ(TryImport(thunk(), handle), HSAKMT_STATUS_SUCCESS);
  });
}

KFD_TEST_CASES_F(PointerInfo, HandleOfFreedMemory, SharedTest, kSharedKinds,
                 .property =
                     "the handle of memory that was freed is INVALID_HANDLE, also when new memory "
                     "has its address",
                 .rules = "PTR-3 PTR-7", .guards = "BUG-29", .scope = Scope::kFirstGpu,
                 .needs = {Capability::kSharedMemory}) {
  Allocation memory = Allocate(param().kind);
  const SharedHandle stale = Share(memory);
  memory.Free();
  InPeer([&] { EXPECT_EQ(TryImport(thunk(), stale), HSAKMT_STATUS_INVALID_HANDLE); });
  const Allocation next = Allocate(param().kind);
  const SharedHandle handle = Share(next);
  EXPECT_NE(std::memcmp(&stale, &handle, sizeof(stale)), 0);
  InPeer([&] {
    EXPECT_EQ(TryImport(thunk(), stale), HSAKMT_STATUS_INVALID_HANDLE);
    EXPECT_EQ(TryImport(thunk(), handle), HSAKMT_STATUS_SUCCESS);
  });
}

KFD_TEST_F(PointerInfo, HandleOfEndedProcess, SharedTest,
           .property = "the handle of a process that has ended is INVALID_HANDLE", .rules = "PTR-7",
           .guards = "BUG-29", .scope = Scope::kFirstGpu, .needs = {Capability::kSharedMemory}) {
  void* const page =
      mmap(nullptr, PageSize(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(page, MAP_FAILED);
  auto* const handle = static_cast<SharedHandle*>(page);
  InPeer([&] {
    const Allocation memory = Allocate(MemoryKind::kVram);
    *handle = Share(memory);
  });
  EXPECT_EQ(TryImport(thunk(), *handle), HSAKMT_STATUS_INVALID_HANDLE);
  munmap(page, PageSize());
}

KFD_TEST_F(PointerInfo, HandleOfClosedKfd, SharedTest,
           .property = "the handle of a process that closed KFD is INVALID_HANDLE",
           .rules = "PTR-7", .guards = "BUG-29", .scope = Scope::kFirstGpu,
           .needs = {Capability::kSharedMemory}, .process = Process::kFresh) {
  const Allocation memory = Allocate(MemoryKind::kVram);
  const SharedHandle stale = Share(memory);
  CloseKfd();
  InPeer([&] { EXPECT_EQ(TryImport(thunk(), stale), HSAKMT_STATUS_INVALID_HANDLE); });
  OpenKfd();
}

KFD_TEST_F(PointerInfo, SharingArguments, SharedTest,
           .property =
               "sharing null, an unknown address, an address inside the object, another size, or "
               "into nothing is INVALID_PARAMETER, and the object stays as it was",
           .rules = "PTR-4", .scope = Scope::kFirstGpu, .needs = {Capability::kSharedMemory}) {
  const Allocation memory = Allocate(MemoryKind::kVram);
  const HostPages pages(1);
  const PointerInfo before = Query(memory.address());
  HsaSharedMemoryHandle handle{};
  const auto share = [&](void* address, std::size_t size) {
    return thunk().hsaKmtShareMemory(address, size, &handle);
  };
  EXPECT_EQ(share(nullptr, memory.size()), HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(share(pages.At(), pages.size()), HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(share(memory.At(static_cast<std::ptrdiff_t>(PageSize())), memory.size()),
            HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(share(memory.address(), memory.size() - PageSize()), HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(share(memory.address(), memory.size() + PageSize()), HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(thunk().hsaKmtShareMemory(memory.address(), memory.size(), nullptr),
            HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Query(memory.address()), before);
}

KFD_TEST_F(PointerInfo, ImportArguments, SharedTest,
           .property =
               "importing by no handle, or into no address or size, is INVALID_PARAMETER, and a "
               "node that is none INVALID_NODE_UNIT or INVALID_PARAMETER; nothing is imported",
           .rules = "PTR-7", .guards = "BUG-50", .scope = Scope::kFirstGpu,
           .needs = {Capability::kSharedMemory}) {
  const Allocation memory = Allocate(MemoryKind::kVram);
  const SharedHandle handle = Share(memory);
  InPeer([&] {
    void* address = nullptr;
    HSAuint64 size = 0;
    EXPECT_EQ(thunk().hsaKmtRegisterSharedHandle(nullptr, &address, &size),
              HSAKMT_STATUS_INVALID_PARAMETER);
    EXPECT_EQ(thunk().hsaKmtRegisterSharedHandle(&handle.words, nullptr, &size),
              HSAKMT_STATUS_INVALID_PARAMETER);
    EXPECT_EQ(thunk().hsaKmtRegisterSharedHandle(&handle.words, &address, nullptr),
              HSAKMT_STATUS_INVALID_PARAMETER);
    HSAuint32 no_node = 1000;
    const HSAKMT_STATUS status =
        thunk().hsaKmtRegisterSharedHandleToNodes(&handle.words, &address, &size, 1, &no_node);
    EXPECT_TRUE(status == HSAKMT_STATUS_INVALID_NODE_UNIT ||
                status == HSAKMT_STATUS_INVALID_PARAMETER)
        << NameOf(status);
    EXPECT_EQ(address, nullptr);
  });
}

KFD_TEST_F(PointerInfo, SharingUserPages, SharedTest,
           .property =
               "a registered user pointer cannot be shared, since its pages are the process's own; "
               "it stays registered",
           .rules = "PTR-5 PTR-9", .scope = Scope::kFirstGpu, .needs = {Capability::kSharedMemory},
           .environment = {"HSA_USE_SVM=0"}) {
  const HostPages pages(2);
  const Registration registration(thunk(), pages.At(), pages.size());
  HsaSharedMemoryHandle handle{};
  EXPECT_NE(thunk().hsaKmtShareMemory(pages.At(), pages.size(), &handle), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Query(pages.At()).type, HSA_POINTER_REGISTERED_USER);
}

}  // namespace kfdcts::suites
