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
  /// The same machine with its GPUs' retry off; null: a host, a machine without GPUs, or flags that
  /// say how it is to be.
  std::unique_ptr<Target> off_target;
  std::string off_parameters;  ///< Of that one's kernel.
  /// Of one guest, its GPUs' VRAM included; 0: no guest.
  std::uint64_t guest_bytes = 0;
  RunInfo info;
  std::vector<std::string> gpu_names;
  int gpu_count = 0;
};

/// The place that the flags name, else the host where it has a GPU, else a guest. Throws
/// UsageError, vm::MachineError.
Place ChoosePlace(const Options& options, const Program& program);

/// Whether this machine has so much memory left that nothing else uses.
bool HasMemory(std::uint64_t bytes);

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
