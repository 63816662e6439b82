#include "harness/cli/options.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "harness/cli/choice.h"
#include "harness/completion/words.h"

namespace kfdcts::harness {
namespace {

constexpr const char* kDescription =
    "Conformance tests of the hsaKmt* API and the amdkfd driver behind it.\n"
    "Every flag of GoogleTest works too (--gtest_list_tests, --gtest_filter=…; --gtest_help lists "
    "them).\n"
    "Exit code: 0; 1 where a test failed that no expectation names (an expected failure that "
    "passes\nis reported and does not fail the run); 2 for bad input; 130 where a signal ended the "
    "run.";

void AddVariable(Options& options, const std::string& given) {
  const std::size_t sign = given.find('=');
  if (sign == 0 || sign == std::string::npos) {
    throw UsageError("--env: " + given + " is not of the form NAME=VALUE");
  }
  options.environment[given.substr(0, sign)] = given.substr(sign + 1);
}

void AddFlags(CLI::App& app, Options& options, std::string& target, long& time_limit) {
  app.add_option(
         "--target", target,
         "Where: the running kernel (host), a kernel in an emulator with virtual GPUs (vm), "
         "or host where /dev/kfd has a GPU, else vm (auto, the default)")
      ->option_text("auto|host|vm");
  app.add_option("--machine", options.machine,
                 "vm: a machine of `kfdvm machines`, or a description's file");
  app.add_option("--kernel", options.kernel, "vm: a kernel image, or a name as of kfdvm");
  app.add_option("--modules", options.modules, "vm: lib/modules/RELEASE of that image");
  app.add_option("--append", options.append, "vm: further kernel parameters");
  app.add_option("--qemu", options.qemu, "vm: the emulator");
  app.add_flag("--quick-driver", options.quick_driver,
               "vm: load amdgpu without its trace sites, which saves much of the boot");
  app.add_flag("--root", options.root, "vm: run the tests as root, not as a user with the devices");
  app.add_option("--thunk", options.thunk,
                 "The library under test; else the system's libhsakmt.so.1");
  app.add_option("--expectations", options.expectations,
                 "Lists of expected failures, in place of the installed ones; may be repeated")
      ->allow_extra_args(false);
  app.add_option("--results", options.results, "Folder for junit.xml, summary.txt and logs")
      ->capture_default_str();
  app.add_option("--test-timeout", time_limit, "Seconds for each test, in place of its own limit")
      ->check(CLI::Range(1L, 86400L));
  app.add_option_function<std::vector<std::string>>(
         "--env",
         [&options](const std::vector<std::string>& given) {
           for (const auto& one : given) AddVariable(options, one);
         },
         "A variable of the tests' environment; may be repeated")
      ->option_text("NAME=VALUE")
      ->allow_extra_args(false);
  AddChoiceFlags(app, options.choice);
  AddLimitFlags(app, options.limits);
  app.add_flag("--allow-oops", options.allow_oops,
               "Also what is known to crash the kernel: on a host tests that the expectations list "
               "so; with\nsvm-vectors the sequences marked oops61, which are else tried in guests "
               "only, and there no\nfurther than to the first crash");
  app.add_flag("--beside-others", options.beside_others,
               "host: run although another process uses KFD, whose work and memory the tests would "
               "meet");
  app.add_flag("--list-rules", options.list_rules, "Print every rule with the tests that name it");
  app.add_flag("--list-capabilities", options.list_capabilities,
               "Print every capability, and on the host whether it is there");
  app.add_option("--execute", options.execute)->group("");
}

/// `kfdcts breakages --thunk` and `--kernel`; every other flag of kfdcts may follow, too.
CLI::App& AddBreakages(CLI::App& app, BreakagesOptions& options) {
  auto* command = app.add_subcommand(
      "breakages",
      "Break what is tested in one way after another and see whether the tests of the rules that "
      "are\nbroken go red. Exit code 0 where each is caught by a test of its rule.");
  command->fallthrough();
  command->add_flag("--thunk", options.thunk, "Break the bundled thunk");
  command->add_flag("--kernel", options.kernel, "Break the kernel, in a guest");
  command->add_flag("--list", options.list, "Print the breakages and run nothing");
  command->add_flag("--every-test", options.every_test,
                    "Ask every test of a breakage's rules, not only until they have caught it");
  command->add_option("--fault", options.fault, "Those whose name matches; globs with ':' between")
      ->option_text("GLOBS");
  command->add_option("--library", options.library, "The thunk that can be broken")
      ->option_text("PATH");
  command
      ->add_option("--image", options.image,
                   "The kernel that can be broken, its lib/modules beside it")
      ->option_text("PATH");
  return *command;
}

/// `kfdcts svm-vectors FILE`; every other flag of kfdcts may follow, too.
CLI::App& AddSvmVectors(CLI::App& app, SvmVectorsOptions& options) {
  auto* command =
      app.add_subcommand("svm-vectors",
                         "Replay a file of SVM calls with the answers that the kernel's range code "
                         "must give. Exit code "
                         "0\nwithout a difference, hang or crash that no expectation names.");
  command->fallthrough();
  command->add_option("file", options.file, "Sequences, a JSON object each line")
      ->option_text("FILE.jsonl")
      ->required();
  command
      ->add_option("--sequence", options.sequences,
                   "Those whose id matches; globs with ':' between")
      ->option_text("GLOBS");
  return *command;
}

/// `kfdcts explain ID`.
CLI::App& AddExplain(CLI::App& app, ExplainOptions& options) {
  auto* command = app.add_subcommand("explain",
                                     "Print a rule, its tests and the known bugs behind it, or a "
                                     "known bug, its fix, its tests and "
                                     "what\nthe expectations say of it");
  command->fallthrough();
  command->add_option("id", options.id, "PTR-4, BUG-51")->option_text("RULE|BUG")->required();
  return *command;
}

Options::Target ParseTarget(const std::string& word) {
  if (word == "auto") return Options::Target::kAuto;
  if (word == "host") return Options::Target::kHost;
  if (word == "vm") return Options::Target::kVm;
  throw UsageError("--target: " + word + " is none of auto, host and vm");
}

/// gtest takes what it knows out of the arguments.
void ParseForGtest(const std::string& program, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), program);
  std::vector<char*> pointers;
  for (auto& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  int count = static_cast<int>(arguments.size());
  testing::InitGoogleTest(&count, pointers.data());
  // gtest prints its help at once and leaves the flag where it is.
  if (count > 1 && std::string_view(pointers[1]) != "--gtest_help") {
    throw UsageError(std::string("unknown argument ") + pointers[1]);
  }
}

void Check(const BreakagesOptions& breakages, const Options& options) {
  if (breakages.thunk == breakages.kernel) {
    throw UsageError("breakages: name what to break, --thunk or --kernel");
  }
  if (breakages.thunk && !options.thunk.empty()) {
    throw UsageError(
        "breakages: --thunk=PATH is for runs; --library=PATH names what can be broken");
  }
  if (breakages.kernel && (!options.kernel.empty() || !options.modules.empty())) {
    throw UsageError(
        "breakages: --kernel=IMAGE is for runs; --image=PATH names what can be broken");
  }
  if (breakages.kernel && options.target == Options::Target::kHost) {
    throw UsageError("breakages: --kernel breaks a guest's, not the host's");
  }
}

void Check(const Options& options) {
  if ((options.breakages || options.svm_vectors) && options.limits != LimitOptions()) {
    throw UsageError(
        "--isolate, --run-timeout, --silence-timeout, --watchdog, --resume, --kernel-log-filter and "
        "--abort-on are for runs of tests, not for breakages and svm-vectors");
  }
  if (options.breakages) Check(*options.breakages, options);
  if ((options.breakages || options.svm_vectors) && options.choice != ChoiceOptions()) {
    throw UsageError(
        "--cases, labels, --safe, --shuffle, --fail-on-flake and the flags that run tests again "
        "are "
        "for runs of tests, not for breakages and svm-vectors");
  }
  if (options.target == Options::Target::kHost && options.NamesGuest()) {
    throw UsageError(
        "--machine, --kernel, --modules, --append, --qemu, --quick-driver and --root are for "
        "--target=vm");
  }
  if (options.kernel.find('/') != std::string::npos && !std::filesystem::exists(options.kernel)) {
    throw UsageError("--kernel: " + options.kernel + ": no such file or folder");
  }
}

}  // namespace

std::optional<Options> ParseCommandLine(int argc, char** argv) {
  Options options;
  std::string target = "auto";
  long time_limit = 0;
  CLI::App app(kDescription, "kfdcts");
  AddFlags(app, options, target, time_limit);
  BreakagesOptions breakages;
  const CLI::App& breakages_command = AddBreakages(app, breakages);
  SvmVectorsOptions vectors;
  const CLI::App& vectors_command = AddSvmVectors(app, vectors);
  ExplainOptions explain;
  const CLI::App& explain_command = AddExplain(app, explain);
  completion::AddWords(app);
  app.require_subcommand(0, 1);
  app.allow_extras();
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::cout << app.help();
    return std::nullopt;
  } catch (const CLI::Success&) {
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
  const auto rest = app.remaining();
  if (std::find(rest.begin(), rest.end(), "--gtest_help") != rest.end()) {
    ParseForGtest(argv[0], {"--gtest_help"});
    return std::nullopt;
  }
  if (breakages_command.parsed()) options.breakages = breakages;
  if (vectors_command.parsed()) {
    vectors.file = std::filesystem::absolute(vectors.file);
    options.svm_vectors = vectors;
  }
  if (explain_command.parsed()) options.explain = explain;
  options.target = ParseTarget(target);
  options.time_limit = std::chrono::seconds(time_limit);
  Check(options);
  ParseForGtest(argv[0], rest);
  CheckChoice(options.choice);
  return options;
}

}  // namespace kfdcts::harness
