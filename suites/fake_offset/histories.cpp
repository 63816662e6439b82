// Random histories of several processes, against the model.
#include <sched.h>

#include <algorithm>
#include <random>

#include "harness/test_support/child.h"
#include "suites/fake_offset/history_player.h"
#include "suites/fake_offset/offset_test.h"
#include "suites/support/amount.h"

namespace kfdcts::suites {
namespace {

using Kind = Step::Kind;

constexpr std::uint64_t kSteps = 1500;      // in an ordinary run
constexpr std::uint64_t kStepsOfOne = 500;  // of one history, by processes of its own
constexpr int kShrinkRounds = 300;

/// How many of a kind there may be at once.
constexpr std::size_t kProcesses = 4;
constexpr std::size_t kFiles = 4;  // of one process
constexpr std::size_t kBuffers = 12;
constexpr std::size_t kDmaBufs = 4;   // of one process
constexpr std::size_t kMappings = 6;  // of one process

/// Thinks of the next step. The same seed on the same device gives the same history.
class StepMaker {
 public:
  explicit StepMaker(std::uint32_t seed) : random_(seed) {}

  Step Next(const OffsetModel& model) {
    for (;;) {
      const Step step = Guess(model);
      if (model.CanDo(step) && HasRoom(model, step)) {
        ++next_id_;
        return step;
      }
    }
  }

 private:
  Step Guess(const OffsetModel& model) {
    Step step;
    step.kind = static_cast<Kind>(kinds_(random_));
    step.process = Pick(model.Processes());
    step.other = step.kind == Kind::kFork ? next_id_ : Pick(model.Processes());
    step.file = step.kind == Kind::kOpen ? next_id_ : Pick(model.FilesOf(step.process));
    step.buffer = step.kind == Kind::kCreate ? next_id_ : PickBuffer(model);
    step.thing = next_id_;
    if (step.kind == Kind::kUnmap) step.thing = Pick(model.MappingsOf(step.process));
    if (step.kind == Kind::kPass || step.kind == Kind::kImport || step.kind == Kind::kCloseDmaBuf) {
      step.thing = Pick(model.DmaBufsOf(step.process));
    }
    step.pages = 1 + static_cast<int>(random_() % 5);
    return step;
  }

  /// Mostly one that is alive.
  int PickBuffer(const OffsetModel& model) {
    const int last = model.LastBuffer();
    if (last > 0 && random_() % 8 == 0)
      return static_cast<int>(random_() % static_cast<unsigned>(last + 1));
    return Pick(model.LiveBuffers());
  }

  int Pick(const std::vector<int>& list) {
    return list.empty() ? -1 : list[random_() % list.size()];
  }

  static bool HasRoom(const OffsetModel& model, const Step& step) {
    switch (step.kind) {
      case Kind::kOpen:
        return model.FilesOf(step.process).size() < kFiles;
      case Kind::kCreate:
        return model.LiveBuffers().size() < kBuffers;
      case Kind::kExport:
      case Kind::kPass:
        return model.DmaBufsOf(step.kind == Kind::kPass ? step.other : step.process).size() <
               kDmaBufs;
      case Kind::kMap:
      case Kind::kMapFirst:
        return model.MappingsOf(step.process).size() < kMappings;
      case Kind::kFork:
        return model.Processes().size() < kProcesses;
      default:
        return true;
    }
  }

  std::mt19937 random_;
  int next_id_ = 1;
  /// By Step::Kind: mapping is frequent, dying rare.
  std::discrete_distribution<int> kinds_{6, 2, 14, 10, 16, 6, 4, 4, 8, 10, 6, 12, 4, 10, 2, 1};
};

/// One process of a history runs at a time, and waking another CPU for it is slow, in a guest very.
void StayOnOneCpu() {
  cpu_set_t here;
  CPU_ZERO(&here);
  CPU_SET(static_cast<std::size_t>(sched_getcpu()), &here);
  sched_setaffinity(0, sizeof(here), &here);
}

class HistoriesTest : public OffsetTest {
 protected:
  /// What mapping an object gives that only a mapping keeps: see MappingAloneIsRefused.
  int ProbeMappedAlone() {
    const UniqueFd file = Open();
    Buffer buffer = Make(file);
    const std::uint64_t offset = buffer.Offset();
    const gpu::FileMapping mapping(file.get(), offset, buffer.bytes());
    buffer.Close();
    return TryMap(file.get(), offset, buffer.bytes()) == EINVAL ? EINVAL : EACCES;
  }

  /// One history; fails the test with a short one where the kernel differs from the model.
  bool PlayOne(std::uint32_t seed, std::uint64_t steps, int mapped_alone) {
    History history;
    std::optional<std::string> complaint;
    {
      HistoryPlayer player(source(), mapped_alone);
      StepMaker maker(seed);
      while (history.size() < steps && !complaint) {
        history.push_back(maker.Next(player.model()));
        complaint = player.Play(history.back());
      }
    }
    if (!complaint) return true;
    std::string last = *complaint;
    const History least = Shrink(
        history,
        [&](const History& shorter) {
          const auto again = PlayAll(source(), mapped_alone, shorter);
          if (again) last = *again;
          return again.has_value();
        },
        kShrinkRounds);
    ADD_FAILURE() << *complaint << "\nseed " << seed << ", step " << history.size()
                  << "; the shortest history found that differs, " << least.size() << " steps:\n"
                  << Text(least) << last;
    return false;
  }
};

}  // namespace

OFFSET_TEST_F(RandomHistories, HistoriesTest,
              .property =
                  "whatever processes make, ask, map, export, import, close, inherit and "
                  "leave behind in dying, offsets and permissions are those of the rules",
              .rules = "OFF-1 OFF-2 OFF-3 OFF-4 OFF-5 OFF-6 OFF-7 OFF-8 OFF-9 OFF-14",
              .time_limit = std::chrono::seconds(3600)) {
  if (!source().IsStateless()) {
    throw harness::CapabilityMissing("plain-ioctls", "the source's own library is in the way");
  }
  const std::uint64_t total = Amount("KFDCTS_OFFSET_OPERATIONS", kSteps);
  const int mapped_alone = ProbeMappedAlone();
  const UniqueFd file = Open();
  const std::uint64_t before = Make(file).Offset();
  const auto play_all = [&] {
    StayOnOneCpu();
    std::uint32_t seed = Seed();
    for (std::uint64_t done = 0; done < total; done += kStepsOfOne, ++seed) {
      if (!PlayOne(seed, std::min(kStepsOfOne, total - done), mapped_alone)) return;
    }
  };
  const harness::ChildResult child = harness::RunInChild(play_all, std::chrono::hours(1));
  EXPECT_TRUE(child.Passed()) << child.Describe();
  EXPECT_TRUE(IsFree(file, before));
}

}  // namespace kfdcts::suites
