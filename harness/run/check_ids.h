#pragma once

#include "harness/report/record.h"
#include "harness/report/rule_book.h"
#include "harness/test_support/registry.h"

namespace kfdcts::harness {

/// Fails the record where its test names a rule, a bug or a label that there is none of.
void CheckIds(const TestDefinition& definition, const RuleBook& book, TestRecord& record);

}  // namespace kfdcts::harness
