#include "thunk/src/context/context.h"

#include <fcntl.h>

#include <algorithm>
#include <optional>

#include "thunk/src/kernel/status.h"
#include "thunk/src/svm/drm_svm.h"
#include "thunk/src/svm/kfd_svm.h"

namespace kfdcts::thunk {
namespace {

constexpr std::uint32_t kMajorVersion = KFD_IOCTL_MAJOR_VERSION;

HSA_CAPABILITY CapabilityOf(const Node& node) {
  return {.Value = static_cast<HSAuint32>(node.numbers.capability)};
}

bool HasLinkTo(const Node& node, HSAuint32 other) {
  return std::any_of(node.links.begin(), node.links.end(),
                     [other](const IoLink& link) { return link.node_to == other; });
}

/// Other GPUs that reach this one's memory.
std::vector<std::uint32_t> LinkedGpus(const Topology& topology, HSAuint32 node_id) {
  std::vector<std::uint32_t> linked;
  for (HSAuint32 other = 0; other < topology.nodes().size(); ++other) {
    const Node& node = topology.nodes()[other];
    if (other != node_id && node.is_gpu() && HasLinkTo(node, node_id)) linked.push_back(other);
  }
  return linked;
}

}  // namespace

Context::Context(SystemCalls& calls, bool primary, std::shared_ptr<RenderNodes> render_nodes,
                 std::shared_ptr<KfdFile> file)
    : calls_(calls),
      primary_(primary),
      file_(std::move(file)),
      kfd_(calls, file_->fd()),
      render_nodes_(std::move(render_nodes)),
      mmio_pages_(kfd_) {}

Context::~Context() = default;

HSAKMT_STATUS Context::Open(SystemCalls& calls, bool primary,
                            std::shared_ptr<RenderNodes> render_nodes,
                            std::unique_ptr<Context>& context) {
  const int fd = calls.Open("/dev/kfd", O_RDWR | O_CLOEXEC);
  if (fd < 0) return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
  std::unique_ptr<Context> opened(
      new Context(calls, primary, std::move(render_nodes), std::make_shared<KfdFile>(calls, fd)));
  const HSAKMT_STATUS status = opened->Connect();
  if (status == HSAKMT_STATUS_SUCCESS) context = std::move(opened);
  return status;
}

HSAKMT_STATUS Context::Connect() {
  if (!primary_) {
    if (const int error = kfd_.CreateProcess(); error < 0) return StatusOf(error);
  }
  if (kfd_.GetVersion(version_) < 0) return HSAKMT_STATUS_ERROR;
  if (version_.major_version != kMajorVersion) return HSAKMT_STATUS_DRIVER_MISMATCH;
  if (const auto status = ReadTopology(topology_); status != HSAKMT_STATUS_SUCCESS) return status;
  if (const auto status = FindGpus(); status != HSAKMT_STATUS_SUCCESS) return status;
  return MakeParts();
}

HSAKMT_STATUS Context::MakeParts() {
  Options memory_options = options_;
  std::optional<DrmSvmCalls> drm_svm;
  if (primary_ && options_.drm_svm && !gpus_.empty()) {
    drm_svm = DrmSvmCalls::Probe(calls_, gpus_.front().drm_fd);
    // No memory is known to both of the kernel's SVMs.
    if (drm_svm->available()) memory_options.use_svm = false;
  }
  memory_ = std::make_unique<Memory>(kfd_, gpus_, memory_options, primary_);
  if (const auto status = memory_->Open(); status != HSAKMT_STATUS_SUCCESS) return status;
  mmio_pages_.Map(gpus_);
  events_ = std::make_unique<Events>(kfd_, *memory_, gpus_, *topology_);
  queues_ = std::make_unique<Queues>(kfd_, *memory_, gpus_, *topology_);
  if (drm_svm && drm_svm->available()) {
    svm_ = std::make_unique<DrmSvm>(*drm_svm, gpus_, *topology_, *memory_);
  } else {
    svm_ = std::make_unique<KfdSvm>(kfd_, *topology_);
  }
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS Context::ReadTopology(std::shared_ptr<const Topology>& topology) {
  TopologyResult result =
      Topology::Read(calls_, [this](const Node& gpu) { return render_nodes_->Open(gpu); });
  if (result.topology) topology = std::move(result.topology);
  return result.status;
}

HSAKMT_STATUS Context::FindGpus() {
  std::vector<kfd_process_device_apertures> apertures(topology_->sysfs_node_count());
  std::uint32_t count = 0;
  if (kfd_.GetProcessApertures(apertures, count) < 0) return HSAKMT_STATUS_ERROR;
  apertures.resize(std::min<std::size_t>(count, apertures.size()));
  for (const kfd_process_device_apertures& one : apertures) {
    const std::optional<std::uint32_t> node_id = topology_->NodeOf(one.gpu_id);
    if (!node_id) continue;  // left out of the topology: another container's
    const Node& node = *topology_->Find(*node_id);
    Gpu gpu = Describe(*node_id, node, one);
    if (const auto status = AcquireVm(node, gpu); status != HSAKMT_STATUS_SUCCESS) return status;
    gpus_.push_back(std::move(gpu));
  }
  std::sort(gpus_.begin(), gpus_.end(),
            [](const Gpu& a, const Gpu& b) { return a.node_id < b.node_id; });
  return HSAKMT_STATUS_SUCCESS;
}

Gpu Context::Describe(HSAuint32 node_id, const Node& node,
                      const kfd_process_device_apertures& apertures) {
  Gpu gpu;
  gpu.node_id = node_id;
  gpu.gpu_id = node.gpu_id;
  gpu.gfx_version = static_cast<std::uint32_t>(node.numbers.gfx_target_version);
  gpu.has_cpu = node.numbers.cpu_cores_count > 0;
  gpu.has_svm = CapabilityOf(node).ui32.SVMAPISupported != 0;
  gpu.lds = {apertures.lds_base, apertures.lds_limit};
  gpu.scratch = {apertures.scratch_base, apertures.scratch_limit};
  gpu.gpuvm = {apertures.gpuvm_base, apertures.gpuvm_limit};
  gpu.linked_nodes = LinkedGpus(*topology_, node_id);
  return gpu;
}

HSAKMT_STATUS Context::AcquireVm(const Node& node, Gpu& gpu) {
  const RenderNode* render_node = render_nodes_->Find(node.numbers.drm_render_minor);
  if (render_node == nullptr) return HSAKMT_STATUS_ERROR;
  gpu.drm_fd = render_node->drm_fd();
  gpu.drm_handle = render_node->device.handle;
  if (kfd_.AcquireVm(gpu.gpu_id, gpu.drm_fd) == 0) return HSAKMT_STATUS_SUCCESS;
  // libdrm's file may be one that another process acquired before it forked us.
  if (gpu.drm_fd == render_node->fd) return HSAKMT_STATUS_ERROR;
  gpu.drm_fd = render_node->fd;
  gpu.drm_handle = nullptr;
  return kfd_.AcquireVm(gpu.gpu_id, gpu.drm_fd) == 0 ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_ERROR;
}

HSAKMT_STATUS Context::AcquireSnapshot(std::shared_ptr<const Topology>& snapshot) {
  const std::lock_guard guard(snapshot_mutex_);
  if (!snapshot_) {
    if (const auto status = ReadTopology(snapshot_); status != HSAKMT_STATUS_SUCCESS) return status;
  }
  snapshot = snapshot_;
  return HSAKMT_STATUS_SUCCESS;
}

void Context::ReleaseSnapshot() {
  const std::lock_guard guard(snapshot_mutex_);
  snapshot_.reset();
}

std::shared_ptr<const Topology> Context::snapshot() const {
  const std::lock_guard guard(snapshot_mutex_);
  return snapshot_;
}

void Context::ReleaseObjects() {
  ReleaseSnapshot();
  queues_->ReleaseAll();  // first: the GPU works in memory of theirs and of their callers
  events_->ReleaseAll();
  svm_->ReleaseAll();
  memory_->ReleaseObjects();
}

void Context::AbandonInChild() {
  queues_->AbandonInChild();
  events_->AbandonInChild();
  mmio_pages_.AbandonInChild();
  memory_->AbandonInChild();
}

}  // namespace kfdcts::thunk
