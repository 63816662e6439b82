#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "thunk/test/memory/memory_fixture.h"

namespace kfdcts::thunk {

/// What a scenario works with.
struct Stage {
  FakeKernel& kernel;
  Memory& memory;
  void* address = nullptr;   ///< Made by the preparation.
  void* produced = nullptr;  ///< Made by the operation.
  HsaSharedMemoryHandle handle = {};
  int dmabuf = -1;
  alignas(kPage) static inline std::byte host[4 * kPage];

  void Allocate(HSAuint32 node, HsaMemFlags flags, std::size_t size = 2 * kPage) {
    ASSERT_EQ(memory.Allocate(node, size, 0, flags, &address), HSAKMT_STATUS_SUCCESS);
  }
  HSAKMT_STATUS Produce(HSAuint32 node, HsaMemFlags flags, std::size_t size = 2 * kPage) {
    return memory.Allocate(node, size, 0, flags, &produced);
  }
  HSAKMT_STATUS Map(void* what, std::size_t size = 2 * kPage) {
    HSAuint64 gpu_address = 0;
    return memory.Map(what, size, std::nullopt, &gpu_address);
  }
  HSAKMT_STATUS MapTo(void* what, std::vector<HSAuint32> nodes) {
    HSAuint64 gpu_address = 0;
    return memory.Map(what, 2 * kPage, nodes, &gpu_address);
  }
  HSAKMT_STATUS RegisterHost() { return memory.Register(host + 16, 5000, std::nullopt, {}); }
  HSAKMT_STATUS Import() {
    HSAuint64 size = 0;
    return memory.RegisterShared(&handle, &produced, &size, std::nullopt);
  }
  HSAKMT_STATUS MakeInternal(Memory::InternalKind kind, std::size_t size,
                             std::uint64_t doorbell_offset = 0) {
    Memory::Internal internal;
    const HSAKMT_STATUS status =
        memory.AllocateInternal(1, size, kind, internal, doorbell_offset);
    memory.FreeInternal(internal);
    return status;
  }
  void* Host() { return host + 16; }
};

/// One operation on memory, for tests that make something fail at each of its steps.
struct Scenario {
  const char* name;
  std::function<void(Stage&)> prepare;
  std::function<HSAKMT_STATUS(Stage&)> operate;
  bool use_svm = false;
};

/// Every operation of the memory chapter.
std::span<const Scenario> Scenarios();

}  // namespace kfdcts::thunk
