#include "harness/vm/guest_run.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <system_error>

#include "harness/vm/base/files.h"
#include "harness/vm/boot/initramfs.h"
#include "harness/vm/boot/kernel_parameters.h"
#include "harness/vm/fetch/fetch.h"
#include "harness/vm/guest/program_spec.h"
#include "harness/vm/run/gpu_process.h"
#include "harness/vm/run/kvm_probe.h"
#include "harness/vm/run/qemu_command.h"
#include "harness/vm/run/session.h"

namespace fs = std::filesystem;

namespace kfdcts::vm {
namespace {

constexpr uid_t kNobody = 65534;

// ----------------------------------------------------------------------------------------------
// what to start

/// Everything that was chosen and made before anything is started.
struct Prepared {
  Qemu qemu;
  fs::path image;
  Initramfs initramfs;
  bool kvm = false;
};

Qemu ChooseQemu(const GuestRun& run, Fetcher& fetcher) {
  if (!run.qemu.empty()) {
    Qemu qemu = QemuAt(run.qemu);
    if (const std::string why = WhyNotUsable(qemu); !why.empty()) {
      throw RunError("emulator " + run.qemu.string() + ": " + why);
    }
    return qemu;
  }
  if (auto qemu = SystemQemu()) {
    return std::move(*qemu);
  }
  return fetcher.QemuFromCache();
}

Kernel KernelByPath(const GuestRun& run, const fs::path& cache) {
  Kernel kernel;
  kernel.name = run.kernel;
  kernel.image = fs::absolute(run.kernel);
  std::error_code error;
  if (!fs::is_regular_file(kernel.image, error)) {
    std::string known;
    for (const KernelSeries& series : KnownKernelSeries()) {
      known += std::string(", ") + series.name;
    }
    for (const Kernel& built : BuiltKernels(cache)) {
      known += ", " + built.name;
    }
    throw RunError(
        "kernel image " + run.kernel + ": no such file" +
        (run.kernel.find('/') == std::string::npos ? "; known names: " + known.substr(2) : ""));
  }
  if (!run.modules.empty()) {
    if (!fs::is_directory(run.modules, error)) {
      throw RunError("modules folder " + run.modules.string() + ": no such folder");
    }
    kernel.modules = fs::absolute(run.modules);
  }
  return kernel;
}

Kernel ChooseKernel(const GuestRun& run, Fetcher& fetcher, const fs::path& cache) {
  const KernelSeries& standard = KnownKernelSeries().front();
  if (run.kernel.empty()) {
    if (!run.modules.empty()) {
      throw RunError("a modules folder needs the kernel image that it belongs to");
    }
    if (auto kernel = CachedKernel(cache, standard)) {
      return std::move(*kernel);
    }
    if (auto kernel = SystemKernel()) {
      return std::move(*kernel);
    }
    return fetcher.KernelFromCache(standard);
  }
  if (const KernelSeries* series = FindKernelSeries(run.kernel)) {
    if (!run.modules.empty()) {
      throw RunError("kernel " + run.kernel + " brings its own modules");
    }
    return fetcher.KernelFromCache(*series);
  }
  if (auto kernel = BuiltKernel(cache, run.kernel)) {
    if (!run.modules.empty()) {
      throw RunError("kernel " + run.kernel + " brings its own modules");
    }
    return std::move(*kernel);
  }
  return KernelByPath(run, cache);
}

bool ChooseKvm(const GuestRun& run, const Prepared& prepared, const fs::path& cache) {
  if (run.accelerator == Accelerator::kTcg) {
    return false;
  }
  const bool works = KvmWorks(prepared.qemu, prepared.image, cache, run.cancel_fd);
  if (!works && run.accelerator == Accelerator::kKvm) {
    throw RunError("hardware virtualisation (/dev/kvm) does not work here");
  }
  return works;
}

// ----------------------------------------------------------------------------------------------
// what to run in it

/// Without root on the host, the guest's user is the caller: what it may read there, it may read
/// here. Root on the host becomes nobody, and the way to the program is opened for it.
void ChooseUser(const GuestRun& run, ProgramSpec& spec) {
  if (run.root) {
    return;
  }
  spec.uid = geteuid();
  spec.gid = getegid();
  if (spec.uid == 0) {
    spec.uid = kNobody;
    spec.gid = kNobody;
    spec.open_path = true;
    return;
  }
  spec.groups.resize(static_cast<std::size_t>(std::max(getgroups(0, nullptr), 0)));
  if (getgroups(static_cast<int>(spec.groups.size()), spec.groups.data()) < 0) {
    spec.groups.clear();
  }
}

std::string FromEnvironment(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : otherwise;
}

std::vector<std::string> MakeEnvironment(const GuestRun& run) {
  std::vector<std::pair<std::string, std::string>> variables{
      {"PATH", FromEnvironment("PATH", "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin")},
      {"TERM", FromEnvironment("TERM", "dumb")},
      {"LANG", FromEnvironment("LANG", "C.UTF-8")},
      {"HOME", run.root ? "/root" : "/tmp"},
      {"USER", run.root ? "root" : "kfdvm"}};
  for (const auto& given : run.environment) {
    std::erase_if(variables, [&](const auto& variable) { return variable.first == given.first; });
    variables.push_back(given);
  }
  std::vector<std::string> lines;
  for (const auto& [name, value] : variables) {
    lines.push_back(name + "=" + value);
  }
  return lines;
}

ProgramSpec MakeSpec(const GuestRun& run) {
  ProgramSpec spec;
  spec.command = run.command;
  spec.environment = MakeEnvironment(run);
  spec.working_directory =
      run.working_directory.empty() ? fs::current_path() : fs::absolute(run.working_directory);
  ChooseUser(run, spec);
  spec.terminal = run.terminal;
  winsize size{};
  if (run.terminal && run.stdin_fd >= 0 && ioctl(run.stdin_fd, TIOCGWINSZ, &size) == 0) {
    spec.rows = size.ws_row;
    spec.columns = size.ws_col;
  }
  return spec;
}

// ----------------------------------------------------------------------------------------------
// results

void CheckInput(const GuestRun& run) {
  if (run.command.empty() || run.command.front().empty()) {
    throw RunError("no program to run");
  }
  if (run.results.empty()) {
    throw RunError("no results folder");
  }
  for (const std::string& argument : run.command) {
    if (argument.find('\0') != std::string::npos) {
      throw RunError("an argument holds a zero byte");
    }
  }
  for (const auto& [name, value] : run.environment) {
    if (name.empty() || name.find('=') != std::string::npos ||
        value.find('\0') != std::string::npos) {
      throw RunError("\"" + name + "\" is no name of an environment variable");
    }
  }
  if (!run.working_directory.empty() && !fs::is_directory(run.working_directory)) {
    throw RunError("working directory " + run.working_directory.string() + ": no such folder");
  }
}

/// The results folder, ours for as long as the lock lives.
FileLock TakeResults(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    throw RunError("results folder " + folder.string() + ": " + error.message());
  }
  FileLock lock = [&] {
    try {
      return FileLock(folder / ".lock");
    } catch (const std::system_error& failure) {
      throw RunError("results folder " + folder.string() + ": " + failure.code().message());
    }
  }();
  if (!lock.held()) {
    throw RunError("results folder " + folder.string() + " is in use by another run");
  }
  return lock;
}

void NameResults(const GuestRun& run, GuestResult& result) {
  const fs::path folder = fs::absolute(run.results);
  result.console_log = folder / "console.log";
  result.kernel_log = folder / "kernel.log";
  result.qemu_log = folder / "qemu.log";
  result.share_dir = run.share.empty() ? folder / "share" : fs::absolute(run.share);
  for (std::size_t i = 0; i < run.machine.gpus.size(); ++i) {
    result.gpu_reports.push_back(folder / ("gpu" + std::to_string(i) + ".report"));
  }
}

void PrepareShare(const GuestRun& run, const GuestResult& result) {
  std::error_code error;
  fs::create_directories(result.share_dir, error);
  // The guest's user has another number than a caller who is root.
  if (!error && run.share.empty() && geteuid() == 0) {
    fs::permissions(result.share_dir, fs::perms(01777), error);
  }
  if (error) {
    throw RunError("shared folder " + result.share_dir.string() + ": " + error.message());
  }
}

// ----------------------------------------------------------------------------------------------
// starting

/// Our ends and the emulator's, made in pairs.
struct Wiring {
  SessionFds ours;
  std::vector<UniqueFd> theirs;
  QemuOptions options;

  int Connect(UniqueFd& our_end) {
    FdPair pair = MakeSocketPair();
    our_end = std::move(pair.first);
    theirs.push_back(std::move(pair.second));
    return theirs.back().get();
  }
};

Wiring Wire(const GuestRun& run, const std::vector<GpuProcess>& gpus) {
  Wiring wiring;
  wiring.options.console_fd = wiring.Connect(wiring.ours.console);
  if (run.terminal) {
    wiring.options.terminal_fd = wiring.Connect(wiring.ours.terminal);
  }
  for (const auto& [name, end] : {std::pair{kControlPort, &wiring.ours.control},
                                  {kStdoutPort, &wiring.ours.out},
                                  {kStderrPort, &wiring.ours.err},
                                  {kStdinPort, &wiring.ours.in},
                                  {kKernelLogPort, &wiring.ours.kernel_log}}) {
    wiring.options.ports.push_back({name, wiring.Connect(*end), {}});
  }
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    wiring.options.gpus.push_back(gpus[i].socket);
    wiring.options.ports.push_back({"kfdcts.director." + std::to_string(i), -1, gpus[i].director});
  }
  return wiring;
}

ChildProcess StartEmulator(const Qemu& qemu, const Wiring& wiring, const fs::path& log) {
  SpawnOptions spawn;
  spawn.argv = qemu.command;
  const auto arguments = QemuArguments(wiring.options);
  spawn.argv.insert(spawn.argv.end(), arguments.begin(), arguments.end());
  spawn.environment = qemu.environment;
  WriteFile(log, "");
  const UniqueFd output(open(log.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  spawn.stdout_fd = output.get();
  spawn.stderr_fd = output.get();
  for (const UniqueFd& end : wiring.theirs) {
    spawn.inherit.push_back(end.get());
  }
  return ChildProcess::Spawn(spawn);
}

Prepared Prepare(const GuestRun& run) {
  const fs::path cache = CacheFolder();
  Fetcher fetcher(cache, run.on_notice, run.cancel_fd);
  const Kernel kernel = ChooseKernel(run, fetcher, cache);
  Prepared prepared;
  prepared.image = BootableImage(kernel.image, cache / "images");
  prepared.qemu = ChooseQemu(run, fetcher);
  prepared.initramfs =
      MakeInitramfs(kernel, {.quick_driver = run.quick_driver, .gpus = !run.machine.gpus.empty()},
                    cache / "images");
  prepared.kvm = ChooseKvm(run, prepared, cache);
  return prepared;
}

void AddEmulatorLog(GuestResult& result) {
  if (result.end != GuestResult::End::kNeverUp && result.end != GuestResult::End::kLost) {
    return;
  }
  const std::string log = ReadFile(result.qemu_log);
  if (!log.empty()) {
    result.reason += "; it said: " + log.substr(0, log.find_last_not_of('\n') + 1);
  }
}

void RunPrepared(const GuestRun& run, const Prepared& prepared, GuestResult& result) {
  const TemporaryFolder folder;
  const fs::path spec_file = folder.path() / "program";
  WriteFile(spec_file, MakeSpec(run).Serialise(), 0600);
  std::vector<GpuProcess> gpus = StartGpus(
      run.machine, {folder.path(), result.console_log.parent_path(), run.gpu_trace, run.cancel_fd});
  Wiring wiring = Wire(run, gpus);
  wiring.options.kvm = prepared.kvm;
  wiring.options.kernel = prepared.image;
  wiring.options.initramfs = prepared.initramfs.file;
  wiring.options.parameters =
      KernelParameters(run.machine, {.display_core = prepared.initramfs.display_core,
                                     .ports = static_cast<int>(wiring.options.ports.size()),
                                     .spec_file = spec_file.string(),
                                     .append = run.append});
  wiring.options.memory_bytes = run.memory_bytes != 0 ? run.memory_bytes : run.machine.memory_bytes;
  wiring.options.cpus = run.machine.cpus;
  wiring.options.share = result.share_dir;
  wiring.options.gdb_port = run.gdb_port;
  ChildProcess emulator = StartEmulator(prepared.qemu, wiring, result.qemu_log);
  wiring.theirs.clear();
  if (run.gdb_port != 0 && run.on_notice) {
    run.on_notice("the guest waits for gdb: target remote localhost:" +
                  std::to_string(run.gdb_port));
  }
  Session session(run, std::move(wiring.ours), emulator, gpus, result);
  session.Watch();
  emulator.Kill();
  AddEmulatorLog(result);
  for (const std::string& complaint : FinishGpus(gpus)) {
    if (run.on_notice) {
      run.on_notice(complaint);
    }
  }
}

}  // namespace

int GuestResult::ProcessExitCode() const {
  switch (end) {
    case End::kExited:
      return exit_code;
    case End::kSignalled:
      return 128 + signal;
    case End::kTimedOut:
      return 124;
    case End::kCancelled:
      return 130;
    case End::kPanicked:
    case End::kOopsed:
    case End::kNeverUp:
    case End::kLost:
      break;
  }
  return 125;
}

GuestResult Run(const GuestRun& run) {
  CheckInput(run);
  GuestResult result;
  NameResults(run, result);
  const FileLock results = TakeResults(run.results);
  PrepareShare(run, result);
  try {
    const Prepared prepared = Prepare(run);
    result.qemu_version = prepared.qemu.version;
    RunPrepared(run, prepared, result);
  } catch (const Cancelled&) {
    result.end = GuestResult::End::kCancelled;
    result.reason = "interrupted";
  }
  return result;
}

}  // namespace kfdcts::vm
