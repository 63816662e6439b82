#include "harness/cli/program.h"

#include <gtest/gtest.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <iostream>
#include <memory>
#include <system_error>

#include "harness/cli/capability_list.h"
#include "harness/cli/options.h"
#include "harness/run/executor.h"
#include "harness/run/runner.h"
#include "harness/target/host_target.h"
#include "harness/target/vm_target.h"
#include "harness/vm/base/errors.h"
#include "harness/vm/base/files.h"

namespace kfdcts::harness {
namespace {

namespace fs = std::filesystem;

constexpr int kUsageExitCode = 2;

/// Where the tests run, and what is known of it beforehand.
struct Place {
  std::unique_ptr<Target> target;
  RunInfo info;
  std::vector<std::string> gpu_names;
  int gpu_count = 0;
};

Place HostPlace(const Program& program, const gpu::Topology& topology) {
  if (program.needs_kfd && !fs::exists("/dev/kfd")) {
    throw UsageError("--target=host: there is no /dev/kfd; --target=vm needs none");
  }
  if (program.needs_kfd && access("/dev/kfd", R_OK | W_OK) != 0) {
    throw UsageError("--target=host: /dev/kfd cannot be opened: " +
                     std::system_category().message(errno));
  }
  Place place;
  place.target = std::make_unique<HostTarget>(fs::canonical("/proc/self/exe"));
  place.info.target = "host";
  place.info.machine = "host";
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
  place.target = std::make_unique<VmTarget>(std::move(guest), fs::canonical("/proc/self/exe"));
  return place;
}

Place ChoosePlace(const Options& options, const Program& program) {
  const gpu::Topology topology = program.host_topology();
  const bool host =
      options.target == Options::Target::kHost ||
      (options.target == Options::Target::kAuto && !options.NamesGuest() && !topology.gpus.empty());
  return host ? HostPlace(program, topology) : VmPlace(options);
}

/// Signals that end a run wait in this descriptor, so that what was started is ended first.
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

/// gtest's seed where it was given, else one of the clock's in gtest's range.
std::uint32_t ChooseSeed() {
  const auto given = static_cast<std::uint32_t>(GTEST_FLAG_GET(random_seed));
  if (given != 0) return given;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint32_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(now).count() % 99999 + 1);
}

Expectations LoadExpectations(const Options& options) {
  Expectations expectations;
  for (const auto& file : options.expectations) expectations.Load(file);
  if (options.expectations.empty()) {
    expectations.LoadFolder(vm::ShareFolder() / "fixtures" / "expectations");
  }
  return expectations;
}

/// What boots of an earlier run left; a run numbers its own from 1.
void RemoveOldBoots(const fs::path& results) {
  if (!fs::exists(results)) return;
  for (const auto& entry : fs::directory_iterator(results)) {
    const std::string name = entry.path().filename();
    const bool numbered = name.starts_with("boot") && name.size() > 4 &&
                          name.find_first_not_of("0123456789", 4) == std::string::npos;
    if (numbered && entry.is_directory()) fs::remove_all(entry.path());
  }
}

int RunTests(const Options& options, const Program& program, RuleBook book) {
  Place place = ChoosePlace(options, program);
  Runner::Options run;
  run.info = place.info;
  run.results = options.results;
  run.book = std::move(book);
  if (program.needs_kfd) {
    const fs::path thunk = options.thunk.empty() ? DefaultThunk() : options.thunk;
    const ThunkIdentity identity = IdentifyThunk(thunk);
    run.info.thunk_file = identity.file;
    run.info.thunk_identity = identity.Describe();
    run.plan.thunk = identity.file;
  }
  run.expectations = LoadExpectations(options);
  run.info.seed = ChooseSeed();
  run.plan.seed = run.info.seed;
  run.plan.gpu_count = place.gpu_count;
  run.plan.time_limit = options.time_limit;
  run.gpu_names = place.gpu_names;
  if (!GTEST_FLAG_GET(list_tests)) RemoveOldBoots(options.results);
  const vm::UniqueFd signals(CatchSignals());
  run.signal_fd = signals.get();
  return Runner(*place.target, TestRegistry::Global(), std::move(run)).Run();
}

int ShowCapabilities(const Options& options, const Program& program) {
  const Place place = ChoosePlace(options, program);
  if (place.info.target == "vm") {
    ListCapabilities(std::cout);
  } else {
    ProbeCapabilities(std::cout, options.thunk.empty() ? DefaultThunk() : options.thunk);
  }
  return 0;
}

int Dispatch(int argc, char** argv, const Program& program) {
  const auto options = ParseCommandLine(argc, argv);
  if (!options) return 0;
  auto& registry = TestRegistry::Global();
  if (!options->execute.empty()) {
    return RunExecutor({options->execute / kEventsFile, options->execute / kOutputFile}, registry);
  }
  RuleBook book = RuleBook::Load(vm::ShareFolder() / "fixtures" / "spec");
  if (options->list_rules) {
    std::cout << ListRules(book, Declared(registry));
    return 0;
  }
  if (options->list_capabilities) return ShowCapabilities(*options, program);
  return RunTests(*options, program, std::move(book));
}

}  // namespace

int Main(int argc, char** argv, const Program& program) {
  try {
    return Dispatch(argc, argv, program);
  } catch (const UsageError& error) {
    std::cerr << "kfdcts: " << error.what() << '\n';
  } catch (const FixtureError& error) {
    std::cerr << "kfdcts: " << error.what() << '\n';
  } catch (const ThunkError& error) {
    std::cerr << "kfdcts: " << error.what() << '\n';
  } catch (const vm::MachineError& error) {
    std::cerr << "kfdcts: " << error.what() << '\n';
  } catch (const std::exception& error) {
    std::cerr << "kfdcts: " << error.what() << '\n';
    return 1;
  }
  return kUsageExitCode;
}

}  // namespace kfdcts::harness
