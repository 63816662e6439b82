#pragma once

#include <span>

#include "harness/run/event_sink.h"
#include "harness/run/plan.h"
#include "harness/test_support/registry.h"

namespace kfdcts::harness {

/// What a worker tells to whom.
struct WorkerIo {
  const EventSink* events = nullptr;
  const EventSink* ends = nullptr;  ///< For the ends of tests (kEnded) instead.
  int output_fd = -1;               ///< Becomes standard output and error; a regular file.
};

/// The body of a worker process: runs the tests in sequence in this process, which nothing else
/// uses afterwards. The tests want one environment. Ends the process.
[[noreturn]] void RunWorker(const Plan& plan, std::span<const TestInstance> tests,
                            const WorkerIo& io);

}  // namespace kfdcts::harness
