#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/vm/base/child_process.h"
#include "harness/vm/machine.h"

namespace kfdcts::vm {

/// One running vgpu.
struct GpuProcess {
  std::string name;  ///< "gpu0".
  ChildProcess process;
  UniqueFd output;  ///< Its standard output, kept open so that it never writes into a closed one.
  std::filesystem::path socket;    ///< vfio-user.
  std::filesystem::path director;  ///< Control socket.
  std::filesystem::path report;
  std::filesystem::path log;  ///< What it printed.
};

struct GpuOptions {
  std::filesystem::path sockets;  ///< Folder for the sockets.
  std::filesystem::path results;  ///< Folder for report, trace and log.
  bool trace = false;
  int cancel_fd = -1;
};

/// Starts one vgpu for each GPU of the machine and waits until all listen. Throws RunError where
/// one does not, and Cancelled; none is left then.
std::vector<GpuProcess> StartGpus(const Machine& machine, const GpuOptions& options);

/// They end by themselves once the emulator is gone, and write their reports then. What does not
/// within 10 s is killed. Returns a line for each that did not end well.
std::vector<std::string> FinishGpus(std::vector<GpuProcess>& gpus);

}  // namespace kfdcts::vm
