#pragma once

#include "harness/cli/options.h"
#include "harness/cli/program.h"
#include "harness/report/rule_book.h"

namespace kfdcts::harness {

/// `kfdcts breakages`: breaks the system under test in one way after another and sees whether the
/// tests of the rules that it breaks go red. Prints a verdict each, and into breakages.txt of the
/// results folder. The exit code: 0 where all were caught by tests of their rules; 1 where one was
/// not, or where tests fail with nothing broken; 2 for bad input that the target found; 130 where a
/// signal ended the run. Throws UsageError, ThunkError, FixtureError, vm::MachineError.
int RunBreakages(const Options& options, const Program& program, const RuleBook& book);

}  // namespace kfdcts::harness
