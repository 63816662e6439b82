#pragma once

#include <cstdint>
#include <string>

#include "harness/thunk/thunk.h"

namespace kfdcts::harness {

/// What the tests of one process share: the thunk under test and the seed.
class TestProcess {
 public:
  struct Settings {
    std::string thunk;  ///< Path of the library; empty: none.
    std::uint32_t seed = 0;
  };

  /// Once, before the first test.
  static void Set(Settings settings);

  /// The thunk, loaded at the first call. Throws ThunkError.
  static const Thunk& LoadedThunk();

  /// Whether there is one; the harness's own tests go without.
  static bool HasThunk();

  static std::uint32_t Seed();
};

}  // namespace kfdcts::harness
