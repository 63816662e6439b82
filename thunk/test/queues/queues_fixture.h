#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "thunk/src/context/context.h"
#include "thunk/test/fake/fake_kernel.h"

namespace kfdcts::thunk {

constexpr std::size_t kRingBytes = 0x4000;

/// A member of a packed struct, to which no reference may bind.
template <typename Value>
Value Copy(Value value) {
  return value;
}

/// Keeps what CREATE_QUEUE and UPDATE_QUEUE were given last.
class QueueKernel : public FakeKernel {
 public:
  using FakeKernel::FakeKernel;
  int Ioctl(int fd, unsigned long request, void* argument) override {
    {
      const std::lock_guard lock(mutex_);
      if (request == AMDKFD_IOC_UPDATE_QUEUE) {
        updated = *static_cast<kfd_ioctl_update_queue_args*>(argument);
      }
      if (request == KFDCTS_IOC_CREATE_QUEUE)
        created = *static_cast<kfdcts_create_queue_args*>(argument);
    }
    return FakeKernel::Ioctl(fd, request, argument);
  }

  // To be read while no other thread calls.
  kfdcts_create_queue_args created{};
  kfd_ioctl_update_queue_args updated{};

 private:
  std::mutex mutex_;
};

/// A context on a fake kernel and what a caller of the queue calls has.
class QueueStage {
 public:
  explicit QueueStage(FakeKernel& kernel) {
    auto render_nodes = std::make_shared<RenderNodes>(kernel, true);
    EXPECT_EQ(Context::Open(kernel, true, std::move(render_nodes), context_),
              HSAKMT_STATUS_SUCCESS);
    AllocateCallersMemory();
  }

  /// Anew where a close has taken it away.
  void AllocateCallersMemory() {
    ring_ = Allocate(kRingBytes);
    pointers_ = Allocate(4096);
  }

  Context& context() { return *context_; }
  Queues& queues() { return context_->queues(); }
  void* ring() const { return ring_; }
  void* pointers() const { return pointers_; }

  /// System memory of the caller's, mapped on both GPUs.
  void* Allocate(std::size_t bytes) {
    HsaMemFlags flags{};
    flags.ui32.NonPaged = flags.ui32.HostAccess = 1;
    void* address = nullptr;
    EXPECT_EQ(context_->memory().Allocate(0, bytes, 0, flags, &address), HSAKMT_STATUS_SUCCESS);
    HSAuint64 on_gpu = 0;
    EXPECT_EQ(context_->memory().Map(address, bytes, std::nullopt, &on_gpu), HSAKMT_STATUS_SUCCESS);
    return address;
  }

  QueueRequest Request(HSA_QUEUE_TYPE type, HSAuint32 node = 1) const {
    return {.node = node, .type = type, .percentage = 100, .ring = ring_, .ring_bytes = kRingBytes};
  }
  /// As a caller passes it: with its pointers where it must have them.
  HsaQueueResource Resource(HSA_QUEUE_TYPE type) const {
    HsaQueueResource resource{};
    if (type == HSA_QUEUE_COMPUTE_AQL) {
      resource.QueueWptrValue = reinterpret_cast<std::uintptr_t>(pointers_);
      resource.QueueRptrValue = resource.QueueWptrValue + 64;
    }
    return resource;
  }
  HSAKMT_STATUS Create(HSA_QUEUE_TYPE type, HsaQueueResource& resource, HSAuint32 node = 1) {
    resource = Resource(type);
    return queues().Create(Request(type, node), resource);
  }
  HSA_QUEUEID Make(HSA_QUEUE_TYPE type, HSAuint32 node = 1) {
    HsaQueueResource resource{};
    EXPECT_EQ(Create(type, resource, node), HSAKMT_STATUS_SUCCESS);
    return resource.QueueId;
  }

 private:
  std::unique_ptr<Context> context_;
  void* ring_ = nullptr;
  void* pointers_ = nullptr;
};

/// Queues on a fake kernel; nothing may be left when the context is gone.
class QueuesTest : public testing::Test {
 protected:
  explicit QueuesTest(FakeMachine machine = MakeFakeMachine())
      : kernel_(std::move(machine)), stage_(std::make_unique<QueueStage>(kernel_)) {}
  ~QueuesTest() override {
    stage_.reset();
    EXPECT_EQ(kernel_.Leftovers(), "");
  }

  Queues& queues() { return stage_->queues(); }
  FakeHoldings Holdings() const { return kernel_.Holdings(); }

  QueueKernel kernel_;
  std::unique_ptr<QueueStage> stage_;
};

}  // namespace kfdcts::thunk
