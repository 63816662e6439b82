// Queries of one object while others change around it.
#include <atomic>

#include "suites/support/graphics_buffer.h"
#include "suites/support/memory_test.h"
#include "suites/support/threads.h"

namespace kfdcts::suites {
namespace {

constexpr int kReaders = 2;
constexpr int kRounds = 60;

struct ChangeCase {
  std::string_view name;
  MemoryKind kept;
  MemoryKind changing;
};
constexpr ChangeCase kChanges[] = {
    {"vram_beside_vram", MemoryKind::kVram, MemoryKind::kVram},
    {"gtt_beside_vram", MemoryKind::kGtt, MemoryKind::kVram},
    {"vram_beside_system", MemoryKind::kVram, MemoryKind::kSystem},
    {"system_beside_gtt", MemoryKind::kSystem, MemoryKind::kGtt},
};

}  // namespace

KFD_TEST_CASES_F(PointerInfo, KeptWhileOthersChange, MemoryTest, kChanges,
                 .property =
                     "while other objects are made, mapped, unmapped and freed, an object that "
                     "does not change gives one answer, array and all",
                 .rules = "PTR-25 PTR-14", .guards = "BUG-3", .scope = Scope::kFirstGpu) {
  const Allocation kept = Allocate(param().kept);
  MapToNodes(thunk(), kept.address(), kept.size(), {gpu().node_id});
  const PointerInfo expected = Query(kept.At(1));
  std::atomic<int> wrong = 0;
  Against(
      kReaders,
      [&] {
        const PointerInfo info = Query(kept.At(1));
        wrong += info != expected || *info.mapped_array != gpu().node_id;
      },
      [&] {
        for (int round = 0; round < kRounds; ++round) {
          const Allocation other =
              Allocate(param().changing, 1 + static_cast<std::size_t>(round) % 3);
          MapToNodes(thunk(), other.address(), other.size(), {gpu().node_id});
        }
      });
  EXPECT_EQ(wrong, 0);
}

KFD_TEST_F(PointerInfo, QueriesAgainstTwoGpus, MemoryTest,
           .property =
               "while a thread maps an object to one GPU, to both and to none, a query tells one "
               "of the three",
           .rules = "PTR-25 PTR-13", .guards = "BUG-3", .scope = Scope::kEachGpuPair) {
  const Allocation memory = Allocate(MemoryKind::kGtt);
  std::atomic<int> wrong = 0;
  Against(
      kReaders,
      [&] {
        const PointerInfo info = Query(memory.address());
        wrong += info.type != HSA_POINTER_ALLOCATED || info.mapped_count > 2 ||
                 info.size != memory.size();
      },
      [&] {
        for (int round = 0; round < kRounds; ++round) {
          MapToNodes(thunk(), memory.address(), memory.size(), {gpu(0).node_id});
          MapToNodes(thunk(), memory.address(), memory.size(), {gpu(0).node_id, gpu(1).node_id});
          Check("hsaKmtUnmapMemoryToGPU", thunk().hsaKmtUnmapMemoryToGPU(memory.address()));
        }
      });
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(Query(memory.address()).mapped_count, 0U);
}

KFD_TEST_F(PointerInfo, QueriesAgainstGraphics, MemoryTest,
           .property =
               "while a thread registers and deregisters a dma-buf, a query finds it whole, as "
               "GRAPHICS, or not at all",
           .rules = "PTR-25 PTR-6", .scope = Scope::kFirstGpu, .needs = {Capability::kRenderNode}) {
  const GraphicsBuffer buffer(RenderMinor(), 7 * PageSize(), true);
  std::atomic<void*> address = nullptr;
  std::atomic<int> wrong = 0;
  HSAuint32 node = gpu().node_id;
  Against(
      kReaders,
      [&] {
        const PointerInfo info = Query(address);
        if (!info.Found() || info.gpu_address != reinterpret_cast<HSAuint64>(address.load()))
          return;
        wrong += info.type != HSA_POINTER_REGISTERED_GRAPHICS || info.size != buffer.size() ||
                 info.cpu_address != nullptr || info.node != node;
      },
      [&] {
        for (int round = 0; round < kRounds; ++round) {
          HsaGraphicsResourceInfo info{};
          Check("hsaKmtRegisterGraphicsHandleToNodes",
                thunk().hsaKmtRegisterGraphicsHandleToNodes(
                    static_cast<HSAuint64>(buffer.dma_buf()), &info, 1, &node));
          address = info.MemoryAddress;
          Check("hsaKmtDeregisterMemory", thunk().hsaKmtDeregisterMemory(info.MemoryAddress));
        }
      });
  EXPECT_EQ(wrong, 0);
}

KFD_TEST_F(PointerInfo, ManyThreadsOwnObjects, MemoryTest,
           .property =
               "threads that allocate, map, query, unmap and free objects of their own see each "
               "its own in every answer",
           .rules = "PTR-25 PTR-1", .guards = "BUG-3") {
  std::atomic<int> wrong = 0;
  InThreads(4, [&](int id) {
    const std::size_t pages = 1 + static_cast<std::size_t>(id);
    const MemoryKind kind = kEveryKind[id].kind;
    for (int round = 0; round < 25; ++round) {
      const Allocation memory = Allocate(kind, pages);
      MapToNodes(thunk(), memory.address(), memory.size(), {gpu().node_id});
      const PointerInfo info = Query(memory.At(3));
      wrong += info.cpu_address != memory.address() || info.size != memory.size() ||
               info.node != NodeFor(kind) || info.flags != FlagsFor(kind).Value ||
               info.mapped_count != 1 || *info.mapped_array != gpu().node_id;
    }
  });
  EXPECT_EQ(wrong, 0);
}

KFD_TEST_F(
    PointerInfo, RegistrationsBesideAllocations, MemoryTest,
    .property = "threads that register user memory and threads that allocate see each its own type",
    .rules = "PTR-25 PTR-5 PTR-9", .guards = "BUG-11", .scope = Scope::kFirstGpu,
    .environment = {"HSA_USE_SVM=0"}) {
  const HostPages pages(8);
  std::atomic<int> wrong = 0;
  InThreads(4, [&](int id) {
    for (int round = 0; round < 30; ++round) {
      if (id % 2 == 0) {
        const Allocation memory = Allocate(MemoryKind::kVram, 1);
        wrong += Query(memory.At(9)).type != HSA_POINTER_ALLOCATED;
        continue;
      }
      void* const start = pages.At(static_cast<std::size_t>(id) * 2 * PageSize() - PageSize());
      const Registration registration(thunk(), start, 100);
      const PointerInfo info = Query(start);
      wrong +=
          info.type != HSA_POINTER_REGISTERED_USER || info.cpu_address != start || info.size != 100;
    }
  });
  EXPECT_EQ(wrong, 0);
}

KFD_TEST_F(UserData, SetAgainstFreeing, MemoryTest,
           .property =
               "while a thread makes and frees objects, setting user data by their address sets "
               "theirs or fails, and never another object's",
           .rules = "USR-2 USR-4 PTR-25", .scope = Scope::kFirstGpu) {
  const HostPages bystander(1);
  const Allocation kept = Allocate(MemoryKind::kGtt);
  int token = 0;
  std::atomic<void*> address = nullptr;
  std::atomic<int> wrong = 0;
  Check("hsaKmtSetMemoryUserData", thunk().hsaKmtSetMemoryUserData(kept.address(), &token));
  Against(
      kReaders,
      [&] {
        const HSAKMT_STATUS status = thunk().hsaKmtSetMemoryUserData(address, bystander.At());
        wrong += status != HSAKMT_STATUS_SUCCESS && status != HSAKMT_STATUS_ERROR;
        wrong += Query(kept.address()).user_data != &token;
      },
      [&] {
        for (int round = 0; round < kRounds; ++round) {
          const Allocation memory = Allocate(MemoryKind::kVram, 1);
          address = memory.address();
          const void* const data = Query(memory.address()).user_data;
          wrong += data != nullptr && data != bystander.At();
        }
      });
  EXPECT_EQ(wrong, 0);
}

}  // namespace kfdcts::suites
