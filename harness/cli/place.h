#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "harness/cli/options.h"
#include "harness/cli/program.h"
#include "harness/report/expectations.h"
#include "harness/report/record.h"
#include "harness/target/target.h"

namespace kfdcts::harness {

/// Where the tests run, and what is known of it beforehand.
struct Place {
  std::unique_ptr<Target> target;
  RunInfo info;
  std::vector<std::string> gpu_names;
  int gpu_count = 0;
};

/// The place that the flags name, else the host where it has a GPU, else a guest. Throws
/// UsageError, vm::MachineError.
Place ChoosePlace(const Options& options, const Program& program);

/// The files that the flags name, else those of fixtures/expectations. Throws FixtureError.
Expectations LoadExpectations(const Options& options);

/// A signalfd of the signals that end a run, so that what was started is ended first. Throws
/// std::system_error.
int CatchSignals();

/// gtest's seed where it was given, else one of the clock's in gtest's range.
std::uint32_t ChooseSeed();

/// Removes what boots of an earlier run left in a results folder; a run numbers its own from 1.
void RemoveOldBoots(const std::filesystem::path& results);

}  // namespace kfdcts::harness
