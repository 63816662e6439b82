#pragma once

#include "harness/report/record.h"

namespace kfdcts::harness {

/// Makes the running gtest test end as the record says, with its failures, properties and output.
void Replay(const TestRecord& record);

/// Prints a line of kfdcts' own among gtest's; from any thread.
void Say(const std::string& line);

}  // namespace kfdcts::harness
