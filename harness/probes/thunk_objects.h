#pragma once

#include <cstdint>
#include <optional>

#include "harness/thunk/thunk.h"

namespace kfdcts::harness {

/// How many memory objects a thunk holds, where it tells: by an exported C function
/// `uint64_t kfdctsThunkObjectCount(void)` outside the API.
class ThunkObjects {
 public:
  static bool Available(const Thunk& thunk);
  static std::optional<std::uint64_t> Count(const Thunk& thunk);
};

}  // namespace kfdcts::harness
