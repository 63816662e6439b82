#include "harness/test_support/kfd_session.h"

#include <stdexcept>
#include <string>

namespace kfdcts::harness {
namespace {

void Expect(HSAKMT_STATUS status, const char* call) {
  if (status == HSAKMT_STATUS_SUCCESS) return;
  throw std::runtime_error(std::string(call) + " gives status " + std::to_string(status));
}

}  // namespace

void KfdSession::Open(const ThunkApi& api) {
  Expect(api.hsaKmtOpenKFD(), "hsaKmtOpenKFD");
  HsaSystemProperties system{};
  try {
    Expect(api.hsaKmtAcquireSystemProperties(&system), "hsaKmtAcquireSystemProperties");
    ReadTopology();
    if (system.NumNodes != nodes_) {
      throw std::runtime_error("the thunk's topology has " + std::to_string(system.NumNodes) +
                               " nodes, the kernel's " + std::to_string(nodes_));
    }
  } catch (const std::runtime_error&) {
    api.hsaKmtCloseKFD();
    throw;
  }
}

void KfdSession::Close(const ThunkApi& api) {
  const HSAKMT_STATUS released = api.hsaKmtReleaseSystemProperties();
  const HSAKMT_STATUS closed = api.hsaKmtCloseKFD();
  Expect(released, "hsaKmtReleaseSystemProperties");
  Expect(closed, "hsaKmtCloseKFD");
}

void KfdSession::ReadTopology() {
  const gpu::Topology topology = gpu::ReadTopology();
  nodes_ = topology.nodes;
  gpus_.clear();
  for (const auto& node : topology.gpus) {
    gpus_.push_back({static_cast<int>(gpus_.size()), node.node, node.gpu_id, node});
  }
}

}  // namespace kfdcts::harness
