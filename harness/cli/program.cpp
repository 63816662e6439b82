#include "harness/cli/program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

#include "harness/breakages/command.h"
#include "harness/cli/capability_list.h"
#include "harness/cli/choice.h"
#include "harness/cli/explain.h"
#include "harness/cli/guarded_run.h"
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
/// Enough to tell most flakes, and no long wait for what fails each time.
constexpr int kReruns = 2;

std::vector<std::string> Names(const std::vector<TestInstance>& tests) {
  std::vector<std::string> names;
  for (const auto& test : tests) names.push_back(test.FullName());
  return names;
}

/// What --rerun-failed leaves; false where that is nothing.
bool HasWhatFailed(const Selection& selection, const std::vector<std::string>& tests) {
  if (!selection.names || GTEST_FLAG_GET(list_tests)) return true;
  if (selection.names->empty()) {
    std::cout << "--rerun-failed: nothing failed there\n";
    return false;
  }
  const auto failed = [&](const std::string& test) { return selection.names->contains(test); };
  if (std::any_of(tests.begin(), tests.end(), failed)) return true;
  throw UsageError("--rerun-failed: " + *selection.names->begin() +
                   " and what else failed there are no tests of this machine");
}

int RunTests(const Options& options, const std::vector<std::string>& arguments,
             const Program& program, RuleBook book) {
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
  run.info.seed = ResumedSeed(options).value_or(ChooseSeed());
  run.plan.seed = run.info.seed;
  run.plan.gpu_count = place.gpu_count;
  run.plan.time_limit = options.time_limit;
  run.plan.environment = options.environment;
  run.selection = SelectionOf(options.choice, options.results);
  ApplyToGtest(options.choice, run.info.seed);
  const int reruns = options.choice.repeat_until_fail ? 0 : kReruns;
  run.reruns = options.choice.reruns.value_or(reruns);
  run.fail_on_flake = options.choice.fail_on_flake;
  run.repeat_until_fail = options.choice.repeat_until_fail;
  run.gpu_names = place.gpu_names;
  run.spare = {options.allow_oops, options.choice.safe};
  run.off_target = place.off_target.get();
  run.off_parameters = place.off_parameters;
  // The first guest may not have touched all of its own yet.
  run.room_for_both = [&place] { return HasMemory(2 * place.guest_bytes); };
  const auto& registry = TestRegistry::Global();
  if (!HasWhatFailed(run.selection, Names(registry.Instantiate(place.gpu_count)))) return 0;
  if (!GTEST_FLAG_GET(list_tests)) {
    GuardRun(options, arguments, Names(registry.Instantiate(place.gpu_count)), run);
    if (!run.resumed) RemoveOldBoots(options.results);
  }
  const vm::UniqueFd signals(CatchSignals());
  run.signal_fd = signals.get();
  return Runner(*place.target, registry, std::move(run)).Run();
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

int Dispatch(std::vector<std::string> arguments, const Program& program) {
  const std::string name = arguments.front();
  arguments.erase(arguments.begin());
  if (auto resumed = ResumedArguments(arguments)) arguments = std::move(*resumed);
  std::vector<char*> argv = {const_cast<char*>(name.c_str())};
  for (auto& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  const auto options = ParseCommandLine(static_cast<int>(argv.size()) - 1, argv.data());
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
  if (options->explain) {
    std::cout << Explain(options->explain->id, book, registry, LoadExpectations(*options));
    return 0;
  }
  if (options->svm_vectors) return RunSvmVectors(*options, program);
  if (options->breakages) return RunBreakages(*options, program, book);
  return RunTests(*options, arguments, program, std::move(book));
}

}  // namespace

int Main(int argc, char** argv, const Program& program) {
  try {
    return Dispatch({argv, argv + argc}, program);
  } catch (const UsageError& error) {
    std::cerr << "kfdcts: " << error.what() << '\n';
  } catch (const FixtureError& error) {
    std::cerr << "kfdcts: " << error.what() << '\n';
  } catch (const JournalError& error) {
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
