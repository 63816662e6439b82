#include "harness/vm/run/gpu_process.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>

#include "harness/vm/base/errors.h"
#include "harness/vm/base/files.h"
#include "harness/vm/chips.h"

namespace fs = std::filesystem;

namespace kfdcts::vm {
namespace {

constexpr auto kReadyLimit = std::chrono::seconds(30);
constexpr auto kEndLimit = std::chrono::seconds(10);

std::vector<std::string> Arguments(const GpuSpec& spec, const GpuProcess& gpu,
                                   const GpuOptions& options) {
  const ChipSpec& chip = *FindChip(spec.chip);
  std::vector<std::string> argv{(ProgramFolder() / "vgpu").string(),
                                "--chip",
                                spec.chip,
                                "--vram",
                                std::to_string(spec.vram_bytes >> 20) + "M",
                                "--vbios",
                                (ShareFolder() / "vbios" / chip.vbios).string(),
                                "--socket",
                                gpu.socket.string(),
                                "--director",
                                gpu.director.string(),
                                "--report",
                                gpu.report.string(),
                                "--name",
                                gpu.name};
  if (options.trace) {
    argv.insert(argv.end(), {"--trace", (options.results / (gpu.name + ".trace")).string()});
  }
  return argv;
}

[[noreturn]] void FailStart(const GpuProcess& gpu, const std::string& what) {
  throw RunError("virtual GPU " + gpu.name + ": " + what + "\n" + ReadFile(gpu.log));
}

/// Waits for the line "ready" on its standard output.
void WaitUntilReady(GpuProcess& gpu, int output, int cancel_fd) {
  const auto end = std::chrono::steady_clock::now() + kReadyLimit;
  std::string seen;
  while (seen.find("ready\n") == std::string::npos) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    std::array<pollfd, 2> fds{{{output, POLLIN, 0}, {cancel_fd, POLLIN, 0}}};
    const int count =
        left.count() > 0 ? poll(fds.data(), fds.size(), static_cast<int>(left.count())) : 0;
    if (count == 0) {
      FailStart(gpu, "does not become ready");
    }
    if (count < 0) {
      continue;
    }
    if (fds[1].revents != 0) {
      throw Cancelled();
    }
    std::array<char, 256> buffer;
    const ssize_t got = read(output, buffer.data(), buffer.size());
    if (got > 0) {
      seen.append(buffer.data(), static_cast<std::size_t>(got));
    } else if (got == 0) {
      const auto status = gpu.process.WaitFor(kEndLimit);
      FailStart(gpu, status ? DescribeStatus(*status) : "closed its output");
    }
  }
}

GpuProcess StartGpu(const GpuSpec& spec, std::size_t index, const GpuOptions& options) {
  GpuProcess gpu;
  gpu.name = "gpu" + std::to_string(index);
  gpu.socket = options.sockets / gpu.name;
  gpu.director = options.sockets / (gpu.name + ".dir");
  gpu.report = options.results / (gpu.name + ".report");
  gpu.log = options.results / (gpu.name + ".log");
  FdPair output = MakePipe();
  const UniqueFd log(open(gpu.log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!log) {
    ThrowErrno(gpu.log.string());
  }
  SpawnOptions spawn;
  spawn.argv = Arguments(spec, gpu, options);
  spawn.stdout_fd = output.second.get();
  spawn.stderr_fd = log.get();
  gpu.process = ChildProcess::Spawn(spawn);
  output.second.Reset();
  gpu.output = std::move(output.first);
  WaitUntilReady(gpu, gpu.output.get(), options.cancel_fd);
  return gpu;
}

}  // namespace

std::vector<GpuProcess> StartGpus(const Machine& machine, const GpuOptions& options) {
  std::vector<GpuProcess> gpus;
  for (const GpuSpec& spec : machine.gpus) {
    gpus.push_back(StartGpu(spec, gpus.size(), options));
  }
  return gpus;
}

std::vector<std::string> FinishGpus(std::vector<GpuProcess>& gpus) {
  std::vector<std::string> complaints;
  const auto end = std::chrono::steady_clock::now() + kEndLimit;
  for (GpuProcess& gpu : gpus) {
    if (!gpu.process.running()) {
      continue;
    }
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    const auto status = gpu.process.WaitFor(std::max(left, std::chrono::milliseconds(0)));
    if (!status) {
      gpu.process.Kill();
      complaints.push_back(gpu.name + " did not end with the emulator and was killed");
    } else if (*status != 0) {
      complaints.push_back(gpu.name + " " + DescribeStatus(*status));
    }
  }
  return complaints;
}

}  // namespace kfdcts::vm
