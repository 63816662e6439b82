// A program of tests that need no GPU, no KFD and no thunk, on the harness that kfdcts stands on:
// it behaves in every way that a test can, for the harness's own tests to watch.
#include <cstdlib>

#include "harness/cli/program.h"

namespace {

kfdcts::gpu::Topology TwoGpus() {
  kfdcts::gpu::Topology topology;
  topology.gpus.resize(2);
  topology.nodes = 3;
  return topology;
}

/// Of a folder that a test has made, else none.
std::vector<kfdcts::harness::KfdUser> KfdUsers() {
  const char* root = std::getenv("KFDCTS_FAKE_ROOT");
  if (root == nullptr) return {};
  return kfdcts::harness::OtherKfdUsers(root);
}

}  // namespace

int main(int argc, char** argv) {
  return kfdcts::harness::Main(
      argc, argv, {.host_topology = TwoGpus, .kfd_users = KfdUsers, .needs_kfd = false});
}
