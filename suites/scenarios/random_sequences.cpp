// Random sequences of SVM's steps by several threads, against the model.
#include <algorithm>
#include <cstdlib>

#include "harness/scenario/writer.h"
#include "harness/svm_model/sequence.h"
#include "harness/test_support/child.h"
#include "suites/scenarios/pipe_io.h"
#include "suites/scenarios/player.h"
#include "suites/support/amount.h"

namespace kfdcts::suites {
namespace {

namespace scenario = harness::scenario;
namespace model = harness::svm_model;

constexpr std::uint64_t kSeconds = 4;    // of an ordinary run
constexpr std::size_t kOperations = 40;  // of a thread in a round
constexpr std::uint32_t kMostThreads = 4;
constexpr int kShrinkRounds = 120;
constexpr std::chrono::seconds kRoundLimit{60};
/// Of a test of ordinary length with its shrinking; --test-timeout gives a longer one its time.
constexpr std::chrono::seconds kTimeLimit{300};
constexpr std::chrono::seconds kShrinkLimit{180};

bool Names(const char* variable, std::string_view id) {
  const char* const text = std::getenv(variable);
  return text != nullptr && std::string_view(text).find(id) != std::string_view::npos;
}

/// Plays all steps; the first complaint, with its step and the ranges. Those before it only where
/// `look` says so, since asking the kernel also lets it finish what it has put off.
Complaint PlayAll(ScenarioBase& test, const scenario::Scenario& one, bool look) {
  Player player(test, one.steps);
  for (const auto& step : one.steps) {
    const std::string before = look ? player.Map() : "  (not asked for)\n";
    if (const Complaint complaint = player.Do(step)) {
      return scenario::WriteStep(step) + "\n" + *complaint + "\nBefore the step:\n" + before +
             "After it:\n" + player.Map();
    }
  }
  return std::nullopt;
}

class RandomTest : public ScenarioBase {
 protected:
  void PlayRandom() {
    const model::Setting setting = MakeSetting();
    const std::uint64_t seconds = Amount("KFDCTS_SVM_SECONDS", kSeconds);
    const std::uint64_t most_steps = Amount("KFDCTS_SVM_STEPS", ~std::uint64_t{0});
    const std::uint64_t threads = Amount("KFDCTS_SVM_THREADS", 0);
    const gpu::Deadline end(std::chrono::seconds(most_steps == ~std::uint64_t{0} ? seconds : 3000));
    std::uint64_t steps = 0;
    std::uint32_t rounds = 0;
    for (; !end.expired() && steps < most_steps; ++rounds) {
      const std::uint32_t seed = Seed() + rounds;
      const std::size_t count = threads != 0 ? threads : 1 + seed % kMostThreads;
      const auto sequence = model::MakeSequence(setting, count, kOperations, seed);
      const auto one = model::ToScenario(setting, sequence);
      steps += model::CountSteps(one);
      // Ahead of it, so that a hang has a seed.
      std::printf("--gtest_random_seed=%u, %zu threads\n", seed, count);
      std::fflush(stdout);
      if (const Complaint complaint = PlayInChild(one, false)) {
        return Report(setting, sequence, seed, *complaint);
      }
    }
    std::printf("%u rounds, %llu steps\n", rounds, static_cast<unsigned long long>(steps));
  }

 private:
  model::Setting MakeSetting() const {
    model::Setting setting;
    setting.gpus = gpus().size();
    setting.machine.xnack = XnackIsOn();
    setting.allow_hang = Names("KFDCTS_SVM_ALLOW", "BUG-51");
    setting.allow_miscounts = Names("KFDCTS_SVM_ALLOW", "miscounts");
    setting.allow_late_faults = Names("KFDCTS_SVM_ALLOW", "late-faults");
    setting.keep_last_access = Names("KFDCTS_SVM_AVOID", "BUG-53");
    const auto add = [&](const harness::GpuNode& node) {
      const auto id = static_cast<std::uint32_t>(setting.machine.gpus.size()) + 1;
      setting.machine.gpus.push_back({id, true, node.facts.Property("hive_id")});
    };
    for (const auto& node : gpus()) add(node);
    for (const auto& node : system_gpus()) {
      const bool is_ours = std::any_of(gpus().begin(), gpus().end(), [&](const auto& ours) {
        return ours.ordinal == node.ordinal;
      });
      if (!is_ours) add(node);
    }
    return setting;
  }

  /// The failure again, with ever fewer operations.
  void Report(const model::Setting& setting, const model::Sequence& sequence, std::uint32_t seed,
              const std::string& complaint) {
    std::string last = complaint;
    const auto fails = [&](const model::Sequence& shorter) {
      const Complaint again = PlayInChild(model::ToScenario(setting, shorter), true);
      if (again) last = *again;
      return again.has_value();
    };
    std::printf("%s\n", complaint.c_str());
    std::fflush(stdout);
    const gpu::Deadline enough(kShrinkLimit);
    const bool again = fails(sequence);
    const auto least =
        again ? model::Shrink(
                    sequence,
                    [&](const auto& shorter) { return !enough.expired() && fails(shorter); },
                    kShrinkRounds)
              : sequence;
    ADD_FAILURE() << "--gtest_random_seed=" << seed << (again ? "" : ", not seen a second time")
                  << ": " << complaint << "\nThe shortest scenario found that fails:\n"
                  << scenario::WriteScenario(model::ToScenario(setting, least)) << "which says\n"
                  << last;
  }

  /// In a process that begins with nothing. What KFD counts as its memory ends with it: Linux 7.3
  /// leaks buffers of ranges that are split, which SVMRange.VramIsGivenBack is about.
  Complaint PlayInChild(const scenario::Scenario& one, bool look) {
    auto [here, there] = SocketPair();
    const harness::ChildResult result = harness::RunInChild(
        [&, &answer = there] {
          OpenKfd();
          const std::string text = PlayAll(*this, one, look).value_or("");
          const std::size_t length = text.size();
          WriteAll(answer.get(), &length, sizeof length);
          WriteAll(answer.get(), text.data(), length);
        },
        kRoundLimit);
    there.Close();
    std::size_t length = 0;
    if (!ReadAll(here.get(), &length, sizeof length)) return result.Describe();
    std::string text(length, ' ');
    if (!ReadAll(here.get(), text.data(), length)) return result.Describe();
    if (text.empty()) return std::nullopt;
    return text;
  }
};

constexpr const char* kProperty =
    "whatever threads set, ask, touch, unmap, move and fork, answers and contents are those of "
    "the rules";
constexpr const char* kRules =
    "SVM-5 SVM-7 SVM-8 SVM-9 SVM-10 SVM-11 SVM-14 SVM-15 SVM-17 SVM-19 SVM-23 PRE-1 PRE-2 PRE-3 "
    "PRE-13";

}  // namespace

KFD_TEST_F(SVMRange, RandomSequencesWithRetry, RandomTest, .property = kProperty, .rules = kRules,
           .guards = "BUG-66", .scope = Scope::kEachGpuPair, .needs = {Capability::kSvm},
           .process = Process::kFresh, .xnack = harness::Xnack::kOn, .time_limit = kTimeLimit,
           .labels = "soak") {
  PlayRandom();
}

KFD_TEST_F(SVMRange, RandomSequencesWithoutRetry, RandomTest, .property = kProperty,
           .rules = kRules, .guards = "BUG-66", .scope = Scope::kEachGpuPair,
           .needs = {Capability::kSvm}, .process = Process::kFresh, .xnack = harness::Xnack::kOff,
           .time_limit = kTimeLimit, .labels = "soak") {
  PlayRandom();
}

KFD_TEST_F(SVMRange, RandomSequencesOfOneGpu, RandomTest, .property = kProperty, .rules = kRules,
           .guards = "BUG-66", .scope = Scope::kFirstGpu, .needs = {Capability::kSvm},
           .process = Process::kFresh, .time_limit = kTimeLimit, .labels = "soak") {
  PlayRandom();
}

}  // namespace kfdcts::suites
