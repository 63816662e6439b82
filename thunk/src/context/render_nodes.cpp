#include "thunk/src/context/render_nodes.h"

#include <fcntl.h>

#include <cerrno>
#include <string>

namespace kfdcts::thunk {
namespace {

constexpr std::uint64_t kFirstMinor = 128;
constexpr std::uint64_t kLastMinor = 255;

}  // namespace

RenderNodes::~RenderNodes() {
  for (auto& [minor, node] : nodes_) {
    calls_.CloseDrmDevice(node.device);
    calls_.Close(node.fd);
  }
}

GpuVerdict RenderNodes::Open(const Node& gpu) {
  const std::uint64_t minor = gpu.numbers.drm_render_minor;
  if (minor < kFirstMinor || minor > kLastMinor) return GpuVerdict::kFail;
  if (nodes_.contains(minor)) return GpuVerdict::kUse;
  RenderNode& node = nodes_[minor];
  const std::string path = "/dev/dri/renderD" + std::to_string(minor);
  node.fd = calls_.Open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (node.fd < 0) {
    const int error = node.fd;
    nodes_.erase(minor);
    return error == -ENOENT || error == -EPERM || error == -EACCES ? GpuVerdict::kDrop
                                                                   : GpuVerdict::kFail;
  }
  // Without libdrm's device KFD works all the same; names and buffers of graphics do not.
  if (with_device_) calls_.OpenDrmDevice(node.fd, node.device);
  return GpuVerdict::kUse;
}

const RenderNode* RenderNodes::Find(std::uint64_t minor) const {
  const auto found = nodes_.find(minor);
  return found == nodes_.end() ? nullptr : &found->second;
}

}  // namespace kfdcts::thunk
