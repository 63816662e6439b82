#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/report/record.h"

namespace kfdcts::harness::testing_support {

inline TestRecord Passed(std::string name, std::vector<std::string> rules = {}) {
  TestRecord record;
  record.suite = "PointerInfo";
  record.name = std::move(name);
  record.file = "suites/pointer_info/x.cpp";
  record.line = 7;
  record.rules = std::move(rules);
  record.duration = std::chrono::milliseconds(1500);
  return record;
}

inline TestRecord Failed(std::string name, std::vector<std::string> rules = {}) {
  TestRecord record = Passed(std::move(name), std::move(rules));
  record.failures.push_back({"suites/pointer_info/x.cpp", 12, "Expected: 1\nActual: 2", true});
  return record;
}

inline TestRecord Skipped(std::string name) {
  TestRecord record = Passed(std::move(name));
  record.skipped = true;
  record.skip_reason = "no XNACK";
  record.missing_capability = "xnack-switchable";
  return record;
}

inline RunInfo SomeRun() {
  RunInfo run;
  run.target = "vm";
  run.machine = "vega10x2";
  run.kernel_release = "7.3.4";
  run.thunk_file = "/lib/libhsakmt.so.1";
  run.thunk_identity = "libhsakmt.so.1.0.6";
  run.gpus = {"virtual vega10"};
  run.seed = 42;
  return run;
}

}  // namespace kfdcts::harness::testing_support
