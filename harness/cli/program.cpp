#include "harness/cli/program.h"

#include <gtest/gtest.h>

#include <iostream>

#include "harness/breakages/command.h"
#include "harness/cli/capability_list.h"
#include "harness/cli/options.h"
#include "harness/cli/place.h"
#include "harness/run/executor.h"
#include "harness/run/runner.h"
#include "harness/svm_vectors/command.h"
#include "harness/svm_vectors/vector_file.h"
#include "harness/svm_vectors/vector_test.h"
#include "harness/vm/base/errors.h"
#include "harness/vm/base/files.h"
#include "harness/vm/machine.h"

namespace kfdcts::harness {
namespace {

namespace fs = std::filesystem;

constexpr int kUsageExitCode = 2;

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
  run.plan.environment = options.environment;
  run.selection.filter = GTEST_FLAG_GET(filter);
  run.selection.cases = options.cases;
  run.gpu_names = place.gpu_names;
  run.allow_oops = options.allow_oops;
  run.off_target = place.off_target.get();
  run.off_parameters = place.off_parameters;
  // The first guest may not have touched all of its own yet.
  run.room_for_both = [&place] { return HasMemory(2 * place.guest_bytes); };
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
  registry.ReadSources();
  if (!options->execute.empty()) {
    if (options->svm_vectors) {
      const auto& file = options->svm_vectors->file;
      RegisterVectors(LoadVectors(file), file, registry);
    }
    return RunExecutor({options->execute / kEventsFile, options->execute / kOutputFile}, registry);
  }
  RuleBook book = RuleBook::Load(vm::ShareFolder() / "fixtures" / "spec");
  if (options->list_rules) {
    std::cout << ListRules(book, Declared(registry));
    return 0;
  }
  if (options->list_capabilities) return ShowCapabilities(*options, program);
  if (options->svm_vectors) return RunSvmVectors(*options, program);
  if (options->breakages) return RunBreakages(*options, program, book);
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
