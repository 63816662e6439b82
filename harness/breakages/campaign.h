#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/breakages/breakage.h"
#include "harness/breakages/verdict.h"
#include "harness/report/expectations.h"
#include "harness/report/record.h"
#include "harness/run/session.h"
#include "harness/target/target.h"
#include "harness/test_support/registry.h"

namespace kfdcts::harness {

/// Runs tests on a whole and on a broken system under test, in one boot of the target where it
/// survives them.
class Campaign {
 public:
  struct Options {
    std::filesystem::path results;
    Plan plan;  ///< All but its tests and environment.
    int signal_fd = -1;
    bool every_test = false;  ///< Also those of its rules that are not needed to catch a breakage.
    std::function<void(const std::string&)> notice;  ///< As of Session.
    Expectations expectations{};  ///< Which findings of a virtual GPU are the kernel's own.
    RunInfo info{};
  };

  /// `tests` as of TestsFor(). They and `kind` outlive this.
  Campaign(Target& target, const BreakageKind& kind, const std::vector<TestInstance>& tests,
           Options options);

  /// Every test with nothing broken. Throws vm::RunError where the target was given bad input.
  std::vector<TestRecord> RunWhole();

  /// From now on without this test.
  void LeaveOut(const std::string& full_name) { left_out_.insert(full_name); }

  /// The tests of the breakage's rules until they catch it; where they do not, the others until
  /// one is red.
  BreakageVerdict Run(const Breakage& breakage);

  void Finish() { session_.Finish(); }
  bool interrupted() const { return session_.interrupted(); }
  const Surroundings& surroundings() const { return session_.surroundings(); }

 private:
  std::vector<TestInstance> Tests() const;
  /// Runs tests `portion` at a time until `enough` says so.
  void RunTests(const std::vector<TestInstance>& tests, std::size_t portion,
                std::vector<TestRecord>& records, const std::function<bool()>& enough);
  std::chrono::seconds LimitOf(const std::string& test) const;

  const BreakageKind& kind_;
  const std::vector<TestInstance>& tests_;
  std::set<std::string> left_out_;
  Options options_;
  Session session_;
};

}  // namespace kfdcts::harness
