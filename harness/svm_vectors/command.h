#pragma once

#include "harness/cli/options.h"
#include "harness/cli/program.h"

namespace kfdcts::harness {

/// `kfdcts svm-vectors FILE.jsonl`: replays a vector file on a kernel's SVM ioctl, each sequence in
/// a process of its own, and prints sequences, operations, differences, hangs, crashes and what
/// could not run. Also leaves svm-vectors.txt and junit.xml in the results folder.
///
/// The sequences marked "oops61" crash a kernel that lacks a fix, which cannot be seen beforehand;
/// some others may (VectorSequence::MayOops61). In a guest all these come last, the shortest of the
/// marked ones alone: where that costs the guest, the others are left out. On a host they are left
/// out. --allow-oops runs them in either, in the file's order; after one that costs a guest the
/// rest goes on in a fresh one.
///
/// The exit code: 0 without a difference, hang or crash that no expectation names; 1 with one; 2
/// for bad input that the target found; 130 where a signal ended the run. Throws UsageError,
/// FixtureError, vm::MachineError.
int RunSvmVectors(const Options& options, const Program& program);

}  // namespace kfdcts::harness
