// Memory that another process shared: what a query tells about it, and what both see in it.
#include <thread>

#include "suites/support/gate.h"
#include "suites/support/shared_test.h"

namespace kfdcts::suites {

KFD_TEST_CASES_F(PointerInfo, SharedType, SharedTest, kSharedKinds,
                 .property =
                     "imported memory is REGISTERED_SHARED at its start and inside, of the shared "
                     "size, with its address for the GPU and none for the CPU",
                 .rules = "PTR-7 PTR-9 PTR-10 PTR-11", .guards = "BUG-1 BUG-50",
                 .needs = {Capability::kSharedMemory}) {
  const Allocation memory = Allocate(param().kind);
  const SharedHandle handle = Share(memory);
  InPeer([&] {
    const Import import(thunk(), handle);
    EXPECT_EQ(import.size(), memory.size());
    for (const std::size_t offset : {std::size_t{0}, PageSize() + 1, memory.size() - 1}) {
      const PointerInfo info = Query(import.At(offset));
      EXPECT_EQ(info.type, HSA_POINTER_REGISTERED_SHARED) << offset;
      EXPECT_EQ(info.cpu_address, nullptr);
      EXPECT_EQ(info.gpu_address, reinterpret_cast<HSAuint64>(import.address()));
      EXPECT_EQ(info.size, memory.size());
    }
    EXPECT_NE(Query(import.At(memory.size())).gpu_address,
              reinterpret_cast<HSAuint64>(import.address()));
  });
}

KFD_TEST_F(PointerInfo, SharedNode, SharedTest,
           .property = "imported VRAM is on the node of the GPU that its exporter had it on",
           .rules = "PTR-1 PTR-7", .guards = "BUG-1", .needs = {Capability::kSharedMemory}) {
  const Allocation memory = Allocate(MemoryKind::kVram);
  const SharedHandle handle = Share(memory);
  InPeer([&] {
    const Import import(thunk(), handle);
    EXPECT_EQ(Query(import.address()).node, gpu().node_id);
  });
}

KFD_TEST_CASES_F(
    PointerInfo, SharingChangesNothing, SharedTest, kSharedKinds,
    .property = "memory that is shared, imported or not, answers its exporter as before",
    .rules = "PTR-4 PTR-9", .scope = Scope::kFirstGpu, .needs = {Capability::kSharedMemory}) {
  const Allocation memory = Allocate(param().kind);
  const PointerInfo before = Query(memory.address());
  const SharedHandle handle = Share(memory);
  EXPECT_EQ(Query(memory.address()), before);
  InPeer([&] { const Import import(thunk(), handle); });
  EXPECT_EQ(Query(memory.address()), before);
}

KFD_TEST_F(PointerInfo, SharedDeregistered, SharedTest,
           .property = "imported memory that was deregistered is unknown", .rules = "PTR-3 PTR-7",
           .needs = {Capability::kSharedMemory}, .environment = {"HSA_USE_SVM=0"}) {
  const Allocation memory = Allocate(MemoryKind::kVram);
  const SharedHandle handle = Share(memory);
  InPeer([&] {
    Import import(thunk(), handle);
    void* const address = import.address();
    EXPECT_EQ(import.Deregister(), HSAKMT_STATUS_SUCCESS);
    EXPECT_TRUE(Query(address).Unknown());
    EXPECT_EQ(thunk().hsaKmtDeregisterMemory(address), HSAKMT_STATUS_MEMORY_NOT_REGISTERED);
  });
}

KFD_TEST_CASES_F(PointerInfo, SharedMapped, SharedTest, kSharedKinds,
                 .property = "imported memory that is mapped lists the node, and stays SHARED",
                 .rules = "PTR-13 PTR-15 PTR-9", .needs = {Capability::kSharedMemory}) {
  const Allocation memory = Allocate(param().kind);
  const SharedHandle handle = Share(memory);
  InPeer([&] {
    const Import import(thunk(), handle);
    EXPECT_EQ(Query(import.address()).mapped_count, 0U);
    MapToNodes(thunk(), import.address(), import.size(), {gpu().node_id});
    const PointerInfo mapped = Query(import.address());
    EXPECT_EQ(mapped.type, HSA_POINTER_REGISTERED_SHARED);
    EXPECT_EQ(MappedNodes(mapped), std::set<HSAuint32>{gpu().node_id});
    EXPECT_EQ(thunk().hsaKmtUnmapMemoryToGPU(import.address()), HSAKMT_STATUS_SUCCESS);
    EXPECT_EQ(Query(import.address()).mapped_count, 0U);
  });
}

KFD_TEST_F(PointerInfo, SharedToNodes, SharedTest,
           .property = "memory imported for one node lists that node as registered, by its node id",
           .rules = "PTR-13 PTR-7", .needs = {Capability::kSharedMemory}) {
  const Allocation memory = Allocate(MemoryKind::kVram);
  const SharedHandle handle = Share(memory);
  InPeer([&] {
    const Import import(thunk(), handle, {gpu().node_id});
    const PointerInfo info = Query(import.address());
    EXPECT_EQ(RegisteredNodes(info), std::set<HSAuint32>{gpu().node_id});
    EXPECT_EQ(info.mapped_count, 0U);
  });
}

KFD_TEST_F(PointerInfo, SharedToTwoNodes, SharedTest,
           .property = "system memory imported for two nodes lists and maps to both",
           .rules = "PTR-13 PTR-7", .scope = Scope::kEachGpuPair,
           .needs = {Capability::kSharedMemory}) {
  const Allocation memory = Allocate(MemoryKind::kGtt);
  const SharedHandle handle = Share(memory);
  InPeer([&] {
    const std::set<HSAuint32> both{gpu(0).node_id, gpu(1).node_id};
    const Import import(thunk(), handle, {gpu(0).node_id, gpu(1).node_id});
    EXPECT_EQ(RegisteredNodes(Query(import.address())), both);
  });
}

constexpr KindCase kVisibleKinds[] = {
    {"visible_vram", MemoryKind::kVisibleVram},
    {"gtt", MemoryKind::kGtt},
};

KFD_TEST_CASES_F(PointerInfo, SharedBytes, SharedTest, kVisibleKinds,
                 .property = "exporter and importer read what the other wrote", .rules = "PTR-7",
                 .needs = {Capability::kSharedMemory}) {
  const Allocation memory = Allocate(param().kind);
  const std::span words(static_cast<volatile std::uint32_t*>(memory.address()),
                        memory.size() / sizeof(std::uint32_t));
  WritePattern(words, 1);
  const SharedHandle handle = Share(memory);
  InPeer([&] {
    const Import import(thunk(), handle);
    const CpuWindow window(thunk(), import.address(), import.size());
    EXPECT_EQ(WrongWords(window.words(), 1), 0U);
    WritePattern(window.words(), 2);
  });
  EXPECT_EQ(WrongWords(words, 2), 0U);
}

KFD_TEST_F(PointerInfo, SharedTwice, SharedTest,
           .property =
               "memory imported twice is two objects at two addresses, each found until its own "
               "deregistration",
           .rules = "PTR-7 PTR-26", .needs = {Capability::kSharedMemory}) {
  const Allocation memory = Allocate(MemoryKind::kVram);
  const SharedHandle handle = Share(memory);
  InPeer([&] {
    const Import kept(thunk(), handle);
    Import gone(thunk(), handle);
    void* const address = gone.address();
    EXPECT_NE(address, kept.address());
    EXPECT_EQ(Query(address).type, HSA_POINTER_REGISTERED_SHARED);
    EXPECT_EQ(gone.Deregister(), HSAKMT_STATUS_SUCCESS);
    EXPECT_TRUE(Query(address).Unknown());
    EXPECT_EQ(Query(kept.address()).type, HSA_POINTER_REGISTERED_SHARED);
  });
}

KFD_TEST_F(PointerInfo, SharedWithTwo, SharedTest,
           .property = "two processes import one handle at a time, and each sees its own object",
           .rules = "PTR-7", .scope = Scope::kFirstGpu, .needs = {Capability::kSharedMemory}) {
  const Allocation memory = Allocate(MemoryKind::kVram);
  const SharedHandle handle = Share(memory);
  InPeer([&] {
    const Import first(thunk(), handle);
    InPeer([&] {
      EXPECT_TRUE(Query(first.address()).Unknown());
      const Import second(thunk(), handle);
      EXPECT_EQ(Query(second.address()).type, HSA_POINTER_REGISTERED_SHARED);
    });
    EXPECT_EQ(Query(first.address()).type, HSA_POINTER_REGISTERED_SHARED);
  });
}

KFD_TEST_F(PointerInfo, ImportOutlivesExporter, SharedTest,
           .property = "imported memory stays, with its bytes, when its exporter frees it",
           .rules = "PTR-7 PTR-3", .scope = Scope::kFirstGpu,
           .needs = {Capability::kSharedMemory}) {
  Allocation memory = Allocate(MemoryKind::kGtt);
  const SharedHandle handle = Share(memory);
  const Gate imported;
  const Gate freed;
  WritePattern({static_cast<volatile std::uint32_t*>(memory.address()), 1024}, 3);
  std::jthread exporter([&] {
    if (imported.Wait()) memory.Free();
    freed.Open();
  });
  InPeer([&] {
    const Import import(thunk(), handle);
    imported.Open();
    EXPECT_TRUE(freed.Wait());
    EXPECT_EQ(Query(import.address()).type, HSA_POINTER_REGISTERED_SHARED);
    const CpuWindow window(thunk(), import.address(), import.size());
    EXPECT_EQ(WrongWords(window.words().first(1024), 3), 0U);
    EXPECT_EQ(TryImport(thunk(), handle), HSAKMT_STATUS_INVALID_HANDLE);
  });
  imported.Open();  // where the child did not come so far
}

}  // namespace kfdcts::suites
