#include "harness/breakages/campaign.h"

#include <algorithm>

#include "harness/breakages/choice.h"
#include "harness/report/device_findings.h"

namespace kfdcts::harness {
namespace {

/// So many tests at a time, so that a breakage costs no more of them than it takes to know.
constexpr std::size_t kPortion = 8;

bool AnyHung(const std::vector<TestRecord>& records) {
  return std::any_of(records.begin(), records.end(), [](const auto& record) {
    return record.failure_kind == FailureKind::kTimeLimit;
  });
}

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

void Campaign::RunTests(const std::vector<TestInstance>& tests, std::size_t portion,
                        std::vector<TestRecord>& records, const std::function<bool()>& enough) {
  for (auto next = tests.begin(); next != tests.end() && !interrupted();) {
    const auto end = next + std::min(static_cast<std::ptrdiff_t>(portion), tests.end() - next);
    std::vector<std::string> names;
    std::transform(next, end, std::back_inserter(names),
                   [](const auto& test) { return test.FullName(); });
    session_.Begin(names);
    for (; next != end; ++next) {
      TestRecord record = session_.Run(next->FullName());
      record.suite = next->definition->suite;
      record.name = next->name;
      record.rules = SplitIds(next->definition->spec.rules);
      options_.info.kernel_release = surroundings().kernel_release;
      JudgeDeviceFindings(record, options_.expectations, options_.info);
      records.push_back(std::move(record));
    }
    if (enough()) return;
  }
}

std::vector<TestRecord> Campaign::RunWhole() {
  std::vector<TestRecord> records;
  session_.SetEnvironment(kind_.whole);
  const auto tests = Tests();
  RunTests(tests, tests.size(), records, [] { return false; });
  return records;
}

std::vector<TestInstance> Campaign::Tests() const {
  std::vector<TestInstance> tests = tests_;
  std::erase_if(tests, [&](const auto& test) { return left_out_.contains(test.FullName()); });
  return tests;
}

BreakageVerdict Campaign::Run(const Breakage& breakage) {
  const Choice choice = Choose(breakage, Tests());
  std::vector<TestRecord> records;
  if (kind_.boot_each) session_.Finish();
  session_.SetEnvironment(kind_.environment(breakage));
  const auto caught = [&] {
    return Judge(breakage, records).kind == BreakageVerdict::Kind::kCaught;
  };
  RunTests(choice.first, kPortion, records,
           [&] { return AnyHung(records) || (!options_.every_test && caught()); });
  if (caught()) return Judge(breakage, records);
  RunTests(choice.others, kPortion, records, [&] {
    return AnyHung(records) || std::any_of(records.begin(), records.end(), WentRed);
  });
  return Judge(breakage, records);
}

}  // namespace kfdcts::harness
