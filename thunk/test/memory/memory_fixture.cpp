#include "thunk/test/memory/memory_fixture.h"

#include <algorithm>

namespace kfdcts::thunk {

HsaMemFlags MemFlags(HSAuint32 bits) {
  HsaMemFlags flags{};
  flags.Value = bits;
  return flags;
}

HsaMemFlags VisibleVram() {
  HsaMemFlags flags = PrivateVram();
  flags.ui32.HostAccess = 1;
  return flags;
}

HsaMemFlags PrivateVram() {
  HsaMemFlags flags{};
  flags.ui32.NonPaged = 1;
  flags.ui32.CoarseGrain = 1;
  return flags;
}

HsaMemFlags Gtt() {
  HsaMemFlags flags{};
  flags.ui32.NonPaged = 1;
  flags.ui32.HostAccess = 1;
  return flags;
}

HsaMemFlags Paged() {
  HsaMemFlags flags{};
  flags.ui32.HostAccess = 1;
  return flags;
}

Connection::Connection(FakeKernel& kernel, bool use_svm, bool primary)
    : kernel_(kernel), kfd_fd_(kernel.Open("/dev/kfd", 2)) {
  kfd_ = std::make_unique<Kfd>(kernel, kfd_fd_);
  if (!primary) kfd_->CreateProcess();
  std::vector<kfd_process_device_apertures> apertures(kernel.machine().gpus.size());
  std::uint32_t count = 0;
  if (!apertures.empty()) kfd_->GetProcessApertures(apertures, count);
  for (std::size_t i = 0; i < count; ++i) {
    const FakeGpu& model = kernel.machine().gpus[i];
    Gpu gpu;
    gpu.node_id = kernel.machine().NodeOf(i);
    gpu.gpu_id = model.gpu_id;
    const std::string node = "/dev/dri/renderD" + std::to_string(model.render_minor);
    gpu.drm_fd = kernel.Open(node.c_str(), 2);
    gpu.gfx_version = model.gfx_target_version;
    gpu.has_cpu = kernel.machine().merged_apu && i == 0;
    gpu.has_svm = model.svm;
    gpu.lds = {apertures[i].lds_base, apertures[i].lds_limit};
    gpu.scratch = {apertures[i].scratch_base, apertures[i].scratch_limit};
    gpu.gpuvm = {apertures[i].gpuvm_base, apertures[i].gpuvm_limit};
    kfd_->AcquireVm(gpu.gpu_id, gpu.drm_fd);
    gpus_.push_back(gpu);
  }
  Options options;
  options.use_svm = use_svm;
  memory_ = std::make_unique<Memory>(*kfd_, gpus_, options, primary);
  opened_ = memory_->Open();
}

Connection::~Connection() {
  memory_.reset();
  for (const Gpu& gpu : gpus_) kernel_.Close(gpu.drm_fd);
  kernel_.Close(kfd_fd_);
}

MemoryTest::MemoryTest(FakeMachine machine, bool use_svm)
    : kernel_(std::move(machine)), connection_(std::make_unique<Connection>(kernel_, use_svm)) {
  EXPECT_EQ(connection_->opened(), HSAKMT_STATUS_SUCCESS);
}

MemoryTest::~MemoryTest() {
  connection_.reset();
  EXPECT_EQ(kernel_.Leftovers(), "");
}

void* MemoryTest::Allocate(HSAuint32 node, std::size_t size, HsaMemFlags flags) {
  void* address = nullptr;
  EXPECT_EQ(memory().Allocate(node, size, 0, flags, &address), HSAKMT_STATUS_SUCCESS);
  return address;
}

HsaPointerInfo MemoryTest::Query(const void* address) {
  HsaPointerInfo info{};
  EXPECT_EQ(memory().Query(address, &info), HSAKMT_STATUS_SUCCESS);
  return info;
}

bool MemoryTest::Known(const void* address) {
  HsaPointerInfo info{};
  return memory().Query(address, &info) == HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS MemoryTest::MapTo(void* address, std::size_t size, std::vector<HSAuint32> nodes) {
  HSAuint64 gpu_address = 0;
  return memory().Map(address, size, nodes, &gpu_address);
}

std::vector<HSAuint32> MemoryTest::MappedNodes(const HsaPointerInfo& info) {
  std::vector<HSAuint32> nodes(info.MappedNodes, info.MappedNodes + info.NMappedNodes);
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

}  // namespace kfdcts::thunk
