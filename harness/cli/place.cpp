#include "harness/cli/place.h"

#include <gtest/gtest.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <string_view>
#include <system_error>

#include "harness/probes/kernel_log_device.h"
#include "harness/run/sessions.h"
#include "harness/run/surroundings.h"
#include "harness/target/host_target.h"
#include "harness/target/vm_target.h"
#include "harness/vm/base/files.h"

namespace kfdcts::harness {

namespace fs = std::filesystem;

namespace {

/// 0: GPU faults are retried (kfdvm's choice); 1: not.
constexpr const char* kRetryParameter = "amdgpu.noretry=";

/// Programs that are no kernel's tests leave its log alone, but for a file in its place.
std::string KernelLog(const Program& program) {
  if (program.needs_kfd) return kKernelLogDevice;
  const char* file = std::getenv("KFDCTS_KERNEL_LOG");
  return file == nullptr ? "" : file;
}

/// Others' work would be in the way of the tests, and theirs in its.
void RefuseBesideOthers(const Options& options, const Program& program) {
  const bool lists = GTEST_FLAG_GET(list_tests) || options.list_capabilities ||
                     (options.breakages && options.breakages->list);
  if (lists || options.beside_others) return;
  std::string list;
  for (const auto& user : program.kfd_users()) {
    list += (list.empty() ? "" : ", ") + std::to_string(user.pid) + " (" + user.name + ")";
  }
  if (list.empty()) return;
  throw UsageError("--target=host: KFD is used by other processes: " + list +
                   "; --beside-others runs beside them");
}

Place HostPlace(const Options& options, const Program& program, const gpu::Topology& topology) {
  if (program.needs_kfd && !fs::exists("/dev/kfd")) {
    throw UsageError("--target=host: there is no /dev/kfd; --target=vm needs none");
  }
  if (program.needs_kfd && access("/dev/kfd", R_OK | W_OK) != 0) {
    throw UsageError("--target=host: /dev/kfd cannot be opened: " +
                     std::system_category().message(errno));
  }
  RefuseBesideOthers(options, program);
  Place place;
  place.target = std::make_unique<HostTarget>(fs::canonical("/proc/self/exe"), KernelLog(program));
  place.info.target = "host";
  place.info.machine = "host";
  place.info.kernel_release = AskSurroundings().kernel_release;
  place.gpu_count = static_cast<int>(topology.gpus.size());
  return place;
}

Place VmPlace(const Options& options) {
  vm::GuestRun guest;
  guest.machine = vm::FindMachine(options.machine.empty() ? vm::kDefaultMachine : options.machine);
  guest.kernel = options.kernel;
  guest.modules = options.modules;
  guest.append = options.append;
  guest.qemu = options.qemu;
  guest.quick_driver = options.quick_driver;
  guest.root = options.root;
  Place place;
  place.info.target = "vm";
  place.info.machine = guest.machine.name;
  place.info.kernel_image = guest.kernel.empty() ? "default" : guest.kernel;
  for (const auto& gpu : guest.machine.gpus) place.gpu_names.push_back("virtual " + gpu.chip);
  place.gpu_count = static_cast<int>(guest.machine.gpus.size());
  place.guest_bytes = guest.machine.memory_bytes;
  for (const auto& gpu : guest.machine.gpus) place.guest_bytes += gpu.vram_bytes;
  const fs::path self = fs::canonical("/proc/self/exe");
  if (place.gpu_count > 0 && options.append.find(kRetryParameter) == std::string::npos) {
    vm::GuestRun off = guest;
    place.off_parameters = std::string(kRetryParameter) + "1";
    off.append += (off.append.empty() ? "" : " ") + place.off_parameters;
    place.off_target = std::make_unique<VmTarget>(std::move(off), self);
  }
  place.target = std::make_unique<VmTarget>(std::move(guest), self);
  return place;
}

}  // namespace

Place ChoosePlace(const Options& options, const Program& program) {
  const gpu::Topology topology = program.host_topology();
  const bool host =
      options.target == Options::Target::kHost ||
      (options.target == Options::Target::kAuto && !options.NamesGuest() && !topology.gpus.empty());
  Place place = host ? HostPlace(options, program, topology) : VmPlace(options);
  if (options.svm_vectors) {
    place.target->SetArguments({"svm-vectors", options.svm_vectors->file.string()});
  }
  return place;
}

bool HasMemory(std::uint64_t bytes) {
  std::ifstream in("/proc/meminfo");
  for (std::string line; std::getline(in, line);) {
    constexpr std::string_view kKey = "MemAvailable:";
    if (line.starts_with(kKey)) return std::stoull(line.substr(kKey.size())) >= bytes / 1024;
  }
  return true;
}

Expectations LoadExpectations(const Options& options) {
  Expectations expectations;
  for (const auto& file : options.expectations) expectations.Load(file);
  if (options.expectations.empty()) {
    expectations.LoadFolder(vm::ShareFolder() / "fixtures" / "expectations");
  }
  return expectations;
}

int CatchSignals() {
  std::signal(SIGPIPE, SIG_IGN);
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, signal);
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  const int fd = signalfd(-1, &signals, SFD_CLOEXEC);
  if (fd < 0) throw std::system_error(errno, std::generic_category(), "signalfd");
  return fd;
}

std::uint32_t ChooseSeed() {
  const auto given = static_cast<std::uint32_t>(GTEST_FLAG_GET(random_seed));
  if (given != 0) return given;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint32_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(now).count() % 99999 + 1);
}

void RemoveOldBoots(const fs::path& results) {
  if (!fs::exists(results)) return;
  RemoveOldBoots(results / kOffFolder);
  for (const auto& entry : fs::directory_iterator(results)) {
    const std::string name = entry.path().filename();
    const bool numbered = name.starts_with("boot") && name.size() > 4 &&
                          name.find_first_not_of("0123456789", 4) == std::string::npos;
    if (numbered && entry.is_directory()) fs::remove_all(entry.path());
  }
}

}  // namespace kfdcts::harness
