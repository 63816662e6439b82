#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <string>
#include <vector>

#include "harness/run/event.h"
#include "harness/run/forked_child.h"
#include "harness/run/plan.h"
#include "harness/target/target.h"
#include "harness/vm/base/errors.h"

namespace kfdcts::harness::testing_support {

inline const Event kReady{.kind = Event::Kind::kReady,
                          .surroundings = {"7.3.4", "1.18", {"a GPU"}}};

inline Event Started(const char* test) { return {.kind = Event::Kind::kStarted, .test = test}; }
inline Event Ended(const char* test) { return {.kind = Event::Kind::kEnded, .test = test}; }

/// A target whose executor is a script: what it writes for each launch, and how it ends.
class ScriptedTarget : public Target {
 public:
  struct Script {
    std::vector<Event> events{};
    End end{};
    bool bad_input = false;
    bool waits = false;  ///< For its cancellation.
  };
  explicit ScriptedTarget(std::vector<Script> scripts) : scripts_(std::move(scripts)) {}

  End Run(const Launch& launch) override {
    const Script& script = scripts_.at(launches_++);
    plans_fd_ = launch.plans_fd;
    if (script.bad_input) throw vm::RunError("no such kernel");
    std::ofstream out(launch.folder / kEventsFile, std::ios::app);
    for (const auto& event : script.events) out << ToLine(event) << std::flush;
    if (script.waits) {
      std::uint64_t byte = 0;
      EXPECT_LT(0, read(launch.cancel_fd, &byte, sizeof(byte)));
      return {.reason = "cancelled", .cancelled = true};
    }
    return script.end;
  }
  std::filesystem::path ExecutorFolder(const Launch& launch) const override {
    return launch.folder;
  }
  std::size_t launches() const { return launches_; }

  /// The tests of the plans that came since the last call, while the launch's owner lives.
  std::vector<std::string> PlannedTests() const {
    std::vector<std::string> tests;
    std::istringstream lines(ReadAvailable(plans_fd_));
    for (std::string line; std::getline(lines, line);) {
      for (auto& test : PlanFromLine(line).tests) tests.push_back(std::move(test));
    }
    return tests;
  }

 private:
  std::vector<Script> scripts_;
  std::size_t launches_ = 0;
  int plans_fd_ = -1;
};

}  // namespace kfdcts::harness::testing_support
