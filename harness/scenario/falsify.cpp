#include "harness/scenario/falsify.h"

#include <algorithm>

namespace kfdcts::harness::scenario {
namespace {

bool FalsifyLast(std::vector<Step>& steps);

/// Makes a step's expectation wrong. False where it has none.
struct Falsifier {
  bool operator()(GetAttributes& step) const {
    if (step.status != Status::kSuccess) {
      step.status = Status::kSuccess;
      return true;
    }
    if (!step.answers || step.answers->empty()) return false;
    Attribute& answer = step.answers->back();
    const bool was = answer.kind == Attribute::Kind::kGranularity;
    answer = was ? Attribute{Attribute::Kind::kGranularity, {}, answer.value + 1}
                 : Attribute{Attribute::Kind::kGranularity, {}, 1};
    return true;
  }
  bool operator()(SetAttributes& step) const {
    if (step.status == Status::kSuccess) return false;
    step.status = Status::kSuccess;
    return true;
  }
  bool operator()(SetXnack& step) const {
    if (step.status == Status::kSuccess) return false;
    step.status = Status::kSuccess;
    return true;
  }
  bool operator()(Expect& step) const {
    step.granularity = step.granularity.value_or(9) ^ 1U;
    return true;
  }
  bool operator()(CpuRead& step) const { return Change(step.contents); }
  bool operator()(GpuRead& step) const { return Change(step.contents); }
  bool operator()(Peek& step) const { return Change(step.contents); }
  bool operator()(SyscallWrite& step) const { return Change(step.contents); }
  bool operator()(ExpectFault& step) const {
    step.read_only = !step.read_only;
    return true;
  }
  bool operator()(ExpectResidency& step) const {
    step.pages.back() = step.pages.back() == 'v' ? 'm' : 'v';
    return true;
  }
  bool operator()(ExpectRanges& step) const {
    ++step.count;
    return true;
  }
  bool operator()(Child& step) const { return FalsifyLast(step.steps); }
  bool operator()(Start& step) const { return FalsifyLast(step.steps); }
  bool operator()(Together& step) const {
    return std::any_of(step.threads.begin(), step.threads.end(), FalsifyLast);
  }
  template <typename Other>
  bool operator()(Other&) const {
    return false;
  }

 private:
  static bool Change(Contents& contents) {
    contents.number ^= 1U;
    return true;
  }
};

bool FalsifyLast(std::vector<Step>& steps) {
  return std::any_of(steps.rbegin(), steps.rend(),
                     [](Step& step) { return std::visit(Falsifier{}, step.action); });
}

bool IsFinishOf(const Step& step, const std::string& name) {
  const auto* finish = std::get_if<Finish>(&step.action);
  return finish != nullptr && finish->name == name;
}

}  // namespace

std::optional<Scenario> Falsify(const Scenario& scenario) {
  Scenario wrong = scenario;
  for (auto step = wrong.steps.rbegin(); step != wrong.steps.rend(); ++step) {
    if (!std::visit(Falsifier{}, step->action)) continue;
    // What a thread found shows at its end.
    const auto* start = std::get_if<Start>(&step->action);
    auto end = step.base();
    if (start != nullptr) {
      const std::string name = start->name;
      end = std::find_if(end, wrong.steps.end(),
                         [&](const Step& one) { return IsFinishOf(one, name); });
      if (end != wrong.steps.end()) ++end;
    }
    wrong.steps.erase(end, wrong.steps.end());
    return wrong;
  }
  return std::nullopt;
}

}  // namespace kfdcts::harness::scenario
