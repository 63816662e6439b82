#pragma once

#include <string>

#include "harness/report/record.h"
#include "harness/report/rule_book.h"

namespace kfdcts::harness {

/// The commit, patch or pull request that mends a known bug, as known-bugs.yaml tells it; empty
/// where it names none.
std::string FixOf(const KnownBug& bug);

/// What a bug does, without the fix that its text may begin with.
std::string SymptomOf(const KnownBug& bug);

/// What stands below a failure: which rules the test asserts, in their words, and for each known
/// bug that it guards the fix that may be missing. Lines with a newline each; empty where the
/// record names neither rule, bug nor property.
std::string Guidance(const TestRecord& record, const RuleBook& book);

}  // namespace kfdcts::harness
