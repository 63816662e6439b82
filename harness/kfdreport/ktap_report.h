#pragma once

#include <ostream>
#include <vector>

#include "harness/kfdreport/report.h"

namespace kfdcts::report {

/// Merged runs as KTAP version 1 (the kernel's Documentation/dev-tools/ktap.rst): a test for each
/// suite with its cases as subtests; with several runs, one level more, a test for each run.
/// Skips are "ok … # SKIP", expected failures "ok … # XFAIL" as kselftest prints them, time limits
/// "not ok … # TIMEOUT", crashes "not ok … # ERROR"; flakes and passes with a complaint of the
/// kernel are "ok". Messages, failures' texts and the kernel's lines come before as diagnostics.
/// A '#' in a name is written as '_', since KTAP's names cannot hold it.
void WriteKtap(std::ostream& out, const std::vector<Run>& runs);

}  // namespace kfdcts::report
