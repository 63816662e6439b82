#include "harness/breakages/campaign.h"

#include <algorithm>

#include "harness/breakages/choice.h"

namespace kfdcts::harness {
namespace {

/// So many tests at a time, so that a breakage that hangs every test is not waited for to the end.
constexpr std::ptrdiff_t kPortion = 8;

bool Hung(const TestRecord& record) { return record.failure_kind == FailureKind::kTimeLimit; }

}  // namespace

Campaign::Campaign(Target& target, const BreakageKind& kind, const std::vector<TestInstance>& tests,
                   Options options)
    : kind_(kind),
      tests_(tests),
      options_(std::move(options)),
      session_(target,
               {options_.results, options_.plan, options_.signal_fd,
                [this](const std::string& name) { return LimitOf(name); }, options_.notice}) {}

std::chrono::seconds Campaign::LimitOf(const std::string& test) const {
  const auto found = std::find_if(tests_.begin(), tests_.end(),
                                  [&](const auto& one) { return one.FullName() == test; });
  return TimeLimit(options_.plan, *found);
}

void Campaign::RunTests(const std::vector<TestInstance>& tests, std::vector<TestRecord>& records,
                        bool stop_when_hung) {
  for (auto next = tests.begin(); next != tests.end() && !interrupted();) {
    const auto end = next + std::min(kPortion, tests.end() - next);
    std::vector<std::string> names;
    std::transform(next, end, std::back_inserter(names),
                   [](const auto& test) { return test.FullName(); });
    session_.Begin(names);
    bool hung = false;
    for (; next != end; ++next) {
      TestRecord record = session_.Run(next->FullName());
      record.suite = next->definition->suite;
      record.name = next->name;
      record.rules = SplitIds(next->definition->spec.rules);
      hung = hung || Hung(record);
      records.push_back(std::move(record));
    }
    if (hung && stop_when_hung) return;
  }
}

std::vector<TestRecord> Campaign::RunWhole() {
  std::vector<TestRecord> records;
  session_.SetEnvironment(kind_.whole);
  RunTests(tests_, records, false);
  return records;
}

BreakageVerdict Campaign::Run(const Breakage& breakage) {
  const Choice choice = Choose(breakage, tests_);
  std::vector<TestRecord> records;
  if (kind_.boot_each) session_.Finish();
  session_.SetEnvironment(kind_.environment(breakage));
  RunTests(choice.first, records, true);
  BreakageVerdict verdict = Judge(breakage, records);
  if (verdict.kind == BreakageVerdict::Kind::kCaught) return verdict;
  RunTests(choice.others, records, true);
  return Judge(breakage, records);
}

}  // namespace kfdcts::harness
