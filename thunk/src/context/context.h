#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "hsakmt/hsakmttypes.h"
#include "thunk/src/context/gpu.h"
#include "thunk/src/context/kfd_file.h"
#include "thunk/src/context/mmio_pages.h"
#include "thunk/src/context/options.h"
#include "thunk/src/context/render_nodes.h"
#include "thunk/src/events/events.h"
#include "thunk/src/kernel/kfd.h"
#include "thunk/src/memory/memory.h"
#include "thunk/src/queues/queues.h"
#include "thunk/src/svm/backend.h"
#include "thunk/src/topology/properties.h"
#include "thunk/src/topology/topology.h"

namespace kfdcts::thunk {

/// Everything of one connection to the driver: its files, GPUs, memory, events and queues. Any
/// thread may call what is const and what the parts say of themselves.
class Context {
 public:
  /// A further context is a process of its own to the kernel (AMDKFD_IOC_CREATE_PROCESS): it has no
  /// SVM and no user pointers. `render_nodes` may have nodes open from an attempt that failed: a VM
  /// once acquired stays with its file. On failure `context` is not touched and no other file stays
  /// open.
  ///
  /// KERNEL_IO_CHANNEL_NOT_OPENED: no /dev/kfd; DRIVER_MISMATCH: another major version of its
  /// interface; NOT_SUPPORTED: a kernel with one context a process; ERROR: topology, render nodes
  /// or apertures cannot be had.
  static HSAKMT_STATUS Open(SystemCalls& calls, bool primary,
                            std::shared_ptr<RenderNodes> render_nodes,
                            std::unique_ptr<Context>& context);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  bool primary() const { return primary_; }
  const Kfd& kfd() const { return kfd_; }
  const std::shared_ptr<KfdFile>& file() const { return file_; }
  const Options& options() const { return options_; }
  const kfd_ioctl_get_version_args& version() const { return version_; }
  Memory& memory() { return *memory_; }
  Events& events() { return *events_; }
  Queues& queues() { return *queues_; }
  SvmBackend& svm() { return *svm_; }

  /// The GPUs when the context was opened, by node.
  std::span<const Gpu> gpus() const { return gpus_; }
  /// All nodes when the context was opened.
  const Topology& topology() const { return *topology_; }
  const std::shared_ptr<const Topology>& shared_topology() const { return topology_; }

  /// hsaKmtAcquireSystemProperties: a snapshot, kept until it is released; a second call changes
  /// nothing.
  HSAKMT_STATUS AcquireSnapshot(std::shared_ptr<const Topology>& snapshot);
  void ReleaseSnapshot();
  /// Null where none is acquired.
  std::shared_ptr<const Topology> snapshot() const;

  /// Whether nodes tell SVMAPISupported: the primary context's, where all GPUs have SVM, unless
  /// HSA_USE_SVM says no.
  bool uses_svm() const;
  /// What a node's properties need besides the snapshot that it is of.
  NodeSurroundings SurroundingsOf(HSAuint32 node_id, const Node& node) const;

  /// The caller's last close of the primary context: what callers made goes, files and what the
  /// kernel keeps for the process's life stay for the next open.
  void ReleaseObjects();

  /// In a forked child: kernel objects belong to the parent; makes no ioctl, then or when
  /// destroyed.
  void AbandonInChild();

 private:
  Context(SystemCalls& calls, bool primary, std::shared_ptr<RenderNodes> render_nodes,
          std::shared_ptr<KfdFile> file);

  HSAKMT_STATUS Connect();
  HSAKMT_STATUS MakeParts();
  HSAKMT_STATUS ReadTopology(std::shared_ptr<const Topology>& topology);
  HSAKMT_STATUS FindGpus();
  Gpu Describe(HSAuint32 node_id, const Node& node, const kfd_process_device_apertures& apertures);
  HSAKMT_STATUS AcquireVm(const Node& node, Gpu& gpu);

  SystemCalls& calls_;
  bool primary_;
  Options options_ = Options::FromEnvironment();
  std::shared_ptr<KfdFile> file_;
  Kfd kfd_;
  kfd_ioctl_get_version_args version_{};
  std::shared_ptr<RenderNodes> render_nodes_;
  std::shared_ptr<const Topology> topology_;
  std::vector<Gpu> gpus_;
  MmioPages mmio_pages_;
  std::unique_ptr<Memory> memory_;
  std::unique_ptr<Events> events_;
  std::unique_ptr<Queues> queues_;
  std::unique_ptr<SvmBackend> svm_;

  mutable std::mutex snapshot_mutex_;
  std::shared_ptr<const Topology> snapshot_;
};

}  // namespace kfdcts::thunk
