#pragma once

#include <cstdint>
#include <map>

#include "thunk/src/kernel/system_calls.h"
#include "thunk/src/topology/topology.h"

namespace kfdcts::thunk {

/// An open render node, /dev/dri/renderD<minor>.
struct RenderNode {
  int fd = -1;
  DrmDevice device;

  /// The file whose VM the GPU uses: libdrm's where there is one, so that buffers of either side
  /// are in one address space. libdrm has one device a node and process, maybe not on our file.
  int drm_fd() const { return device.handle != nullptr ? device.fd : fd; }
};

/// The render nodes that a context has open, by minor number; closes them in the end.
class RenderNodes {
 public:
  /// `with_device`: libdrm's device, too, which a process has but once: for the primary context.
  RenderNodes(SystemCalls& calls, bool with_device) : calls_(calls), with_device_(with_device) {}
  ~RenderNodes();
  RenderNodes(const RenderNodes&) = delete;
  RenderNodes& operator=(const RenderNodes&) = delete;

  /// Opens a GPU's node, once. A node that is missing or forbidden is another container's; one
  /// outside of the minors of render nodes, or any other error, is a failure.
  GpuVerdict Open(const Node& gpu);

  /// Null where it is not open.
  const RenderNode* Find(std::uint64_t minor) const;

 private:
  SystemCalls& calls_;
  bool with_device_;
  std::map<std::uint64_t, RenderNode> nodes_;
};

}  // namespace kfdcts::thunk
