#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/breakages/breakage.h"
#include "harness/breakages/verdict.h"
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
    std::function<void(const std::string&)> notice;  ///< As of Session.
  };

  /// `tests` as of TestsFor(). They and `kind` outlive this.
  Campaign(Target& target, const BreakageKind& kind, const std::vector<TestInstance>& tests,
           Options options);

  /// Every test with nothing broken. Throws vm::RunError where the target was given bad input.
  std::vector<TestRecord> RunWhole();

  /// The tests of the breakage's rules; where those do not catch it, all the others too.
  BreakageVerdict Run(const Breakage& breakage);

  void Finish() { session_.Finish(); }
  bool interrupted() const { return session_.interrupted(); }
  const Surroundings& surroundings() const { return session_.surroundings(); }

 private:
  void RunTests(const std::vector<TestInstance>& tests, std::vector<TestRecord>& records,
                bool stop_when_hung);
  std::chrono::seconds LimitOf(const std::string& test) const;

  const BreakageKind& kind_;
  const std::vector<TestInstance>& tests_;
  Options options_;
  Session session_;
};

}  // namespace kfdcts::harness
