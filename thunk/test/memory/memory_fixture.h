#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "thunk/src/memory/memory.h"
#include "thunk/test/fake/fake_kernel.h"

namespace kfdcts::thunk {

inline constexpr std::size_t kPage = 4096;

/// The node of a GPU by its place; the CPU's is 0.
constexpr HSAuint32 NodeOfGpu(std::size_t gpu) { return static_cast<HSAuint32>(gpu + 1); }

HsaMemFlags MemFlags(HSAuint32 bits);
/// Of device memory that the CPU reaches, or not; of system memory that is the driver's, or paged.
HsaMemFlags VisibleVram();
HsaMemFlags PrivateVram();
HsaMemFlags Gtt();
HsaMemFlags Paged();

/// A fake kernel and one connection to it, as a context sets it up.
class Connection {
 public:
  explicit Connection(FakeKernel& kernel, bool use_svm = false, bool primary = true);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  Memory& memory() { return *memory_; }
  /// What Memory::Open() answered.
  HSAKMT_STATUS opened() const { return opened_; }
  Gpu& gpu(std::size_t place) { return gpus_[place]; }
  const Kfd& kfd() const { return *kfd_; }

 private:
  FakeKernel& kernel_;
  int kfd_fd_;
  std::unique_ptr<Kfd> kfd_;
  std::vector<Gpu> gpus_;
  std::unique_ptr<Memory> memory_;
  HSAKMT_STATUS opened_;
};

/// Memory on a fake kernel of two GPUs; nothing may be left when it is gone.
class MemoryTest : public testing::Test {
 protected:
  explicit MemoryTest(FakeMachine machine = MakeFakeMachine(), bool use_svm = false);
  ~MemoryTest() override;

  Memory& memory() { return connection_->memory(); }
  void* Allocate(HSAuint32 node, std::size_t size, HsaMemFlags flags);
  HsaPointerInfo Query(const void* address);
  bool Known(const void* address);
  HSAKMT_STATUS MapTo(void* address, std::size_t size, std::vector<HSAuint32> nodes);
  static std::vector<HSAuint32> MappedNodes(const HsaPointerInfo& info);

  FakeKernel kernel_;
  std::unique_ptr<Connection> connection_;
};

}  // namespace kfdcts::thunk
