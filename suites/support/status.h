#pragma once

#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>

#include "hsakmt/hsakmttypes.h"

namespace kfdcts::suites {

/// "HSAKMT_STATUS_ERROR (1)".
std::string NameOf(HSAKMT_STATUS status);

/// "ALLOCATED", "RESERVED_ADDR", …, or the number.
std::string NameOf(HSA_POINTER_TYPE type);

/// Thrown where a call that only prepares a test fails; the test fails with this text.
class ThunkFailure : public std::runtime_error {
 public:
  ThunkFailure(std::string_view call, HSAKMT_STATUS status);
};

/// Throws ThunkFailure unless `status` is success.
void Check(std::string_view call, HSAKMT_STATUS status);

}  // namespace kfdcts::suites

// Found by argument-dependent lookup when gtest prints an operand.
void PrintTo(HSAKMT_STATUS status, std::ostream* out);
void PrintTo(HSA_POINTER_TYPE type, std::ostream* out);
