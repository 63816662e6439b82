#pragma once

#include <nlohmann/json_fwd.hpp>

#include "harness/report/record.h"

namespace kfdcts::harness {

/// A record as a whole, and back.
nlohmann::json ToJson(const TestRecord& record);

/// Throws nlohmann::json::exception for what is none.
TestRecord RecordFromJson(const nlohmann::json& object);

}  // namespace kfdcts::harness
