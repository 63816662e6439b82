#include "harness/svm_model/sequence.h"

#include <algorithm>
#include <array>

namespace kfdcts::harness::svm_model {
namespace {

using Kind = Operation::Kind;

/// Thinks of operations; the same seed, the same ones.
class Maker {
 public:
  Maker(const Setting& setting, bool alone, std::uint32_t seed)
      : setting_(setting), alone_(alone), random_(seed) {}

  Operation Next() {
    Operation operation;
    do {
      operation.kind = static_cast<Kind>(kinds_(random_));
    } while (!alone_ && (operation.kind == Kind::kForkAndWrite || operation.kind == Kind::kMove));
    operation.count = Below(4) == 0 ? 1 + Below(setting_.pages) : 1 + Below(6);
    operation.first = Below(setting_.pages - operation.count + 1);
    operation.gpu = Below(setting_.gpus);
    if (setting_.pm4 && Below(3) == 0) operation.engine = scenario::EngineKind::kPm4;
    operation.number = static_cast<std::uint32_t>(random_() & 0xffffffU);
    if (operation.kind == Kind::kSet) {
      const std::size_t attributes = Below(8) == 0 ? 0 : 1 + Below(3);
      for (std::size_t i = 0; i < attributes; ++i) operation.attributes.push_back(NextAttribute());
    }
    return operation;
  }

 private:
  std::size_t Below(std::size_t limit) { return random_() % limit; }

  scenario::Place Gpu() { return {scenario::Place::Kind::kGpu, Below(setting_.gpus)}; }

  scenario::Attribute NextAttribute() {
    using scenario::Attribute;
    constexpr scenario::Place kCpu{scenario::Place::Kind::kCpu, 0};
    constexpr scenario::Place kNone{scenario::Place::Kind::kNone, 0};
    constexpr std::array<std::uint32_t, 7> kFlags = {0x1, 0x2, 0x8, 0x10, 0x20, 0x40, 0x4000};
    constexpr std::array<std::uint32_t, 6> kGranularities = {0, 1, 3, 9, 12, 64};
    // Small ones send parts of ranges to and fro.
    const std::size_t least = setting_.gpus > 1 && !setting_.allow_miscounts ? 3 : 0;
    switch (Below(12)) {
      case 0:
      case 1:
      case 2:
        return {Attribute::Kind::kAccess, Gpu(), 0};
      case 3:
        return {Attribute::Kind::kInPlace, Gpu(), 0};
      case 4:
        return {Attribute::Kind::kNoAccess, Gpu(), 0};
      case 5:
        return {Attribute::Kind::kPreferred,
                Below(3) == 0   ? kNone
                : Below(2) == 0 ? kCpu
                                : Gpu(),
                0};
      case 6:
      case 7:
      case 8:
        return {Attribute::Kind::kPrefetch, Below(4) == 0 ? kCpu : Gpu(), 0};
      case 9:
        return {Attribute::Kind::kSetFlags, {}, kFlags[Below(kFlags.size())]};
      case 10:
        return {Attribute::Kind::kClearFlags, {}, kFlags[Below(kFlags.size())]};
      default:
        return {Attribute::Kind::kGranularity,
                {},
                kGranularities[least + Below(kGranularities.size() - least)]};
    }
  }

  const Setting& setting_;
  bool alone_;
  std::mt19937 random_;
  /// By Operation::Kind.
  std::discrete_distribution<int> kinds_{20, 12, 12, 10, 8, 8, 5, 3, 3, 3, 4, 6, 3, 2, 2, 1};
};

std::size_t Total(const Sequence& sequence) {
  std::size_t total = 0;
  for (const auto& thread : sequence) total += thread.size();
  return total;
}

/// Without operations [first, first + count), counted through all threads.
Sequence Without(const Sequence& sequence, std::size_t first, std::size_t count) {
  Sequence shorter;
  std::size_t index = 0;
  for (const auto& thread : sequence) {
    auto& kept = shorter.emplace_back();
    for (const auto& operation : thread) {
      if (index < first || index >= first + count) kept.push_back(operation);
      ++index;
    }
  }
  return shorter;
}

}  // namespace

Sequence MakeSequence(const Setting& setting, std::size_t threads, std::size_t operations,
                      std::uint32_t seed) {
  Sequence sequence(threads);
  for (std::size_t thread = 0; thread < threads; ++thread) {
    Maker maker(setting, threads == 1, seed * 8 + static_cast<std::uint32_t>(thread));
    for (std::size_t i = 0; i < operations; ++i) sequence[thread].push_back(maker.Next());
  }
  return sequence;
}

Sequence Shrink(Sequence sequence, const std::function<bool(const Sequence&)>& fails, int most) {
  int asked = 0;
  const auto still_fails = [&](const Sequence& shorter) {
    return asked++ < most && fails(shorter);
  };
  // A thread alone is easiest to read.
  for (const auto& thread : sequence) {
    if (sequence.size() > 1 && still_fails({thread})) {
      sequence = Sequence{thread};
      break;
    }
  }
  for (std::size_t part = std::max<std::size_t>(1, Total(sequence) / 2);
       part > 0 && asked < most;) {
    bool removed = false;
    for (std::size_t first = 0; first < Total(sequence);) {
      Sequence shorter = Without(sequence, first, part);
      if (still_fails(shorter)) {
        sequence = std::move(shorter);
        removed = true;
      } else {
        first += part;
      }
    }
    if (part > 1 || !removed) part /= 2;
  }
  return sequence;
}

std::size_t CountSteps(const scenario::Scenario& scenario) {
  std::size_t count = 0;
  for (const auto& step : scenario.steps) {
    const auto* together = std::get_if<scenario::Together>(&step.action);
    if (together == nullptr) {
      ++count;
      continue;
    }
    for (const auto& thread : together->threads) count += thread.size();
  }
  return count;
}

}  // namespace kfdcts::harness::svm_model
