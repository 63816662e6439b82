#pragma once

#include <string>

#include "harness/report/expectations.h"
#include "harness/report/rule_book.h"
#include "harness/test_support/registry.h"

namespace kfdcts::harness {

/// What `kfdcts explain` prints of a rule or a known bug, whose id may be in small letters: its
/// text, the tests that assert it or guard against it, the bugs behind it with their fixes, and the
/// expectations that name it or one of these tests, gathered by their cause. Throws UsageError for
/// an id that is none, with those that are near.
std::string Explain(const std::string& id, const RuleBook& book, const TestRegistry& registry,
                    const Expectations& expectations);

}  // namespace kfdcts::harness
