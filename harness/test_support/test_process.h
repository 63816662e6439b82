#pragma once

#include <cstdint>
#include <string>

#include "harness/test_support/kfd_session.h"
#include "harness/thunk/thunk.h"

namespace kfdcts::harness {

/// What the tests of one process share: the thunk under test, KFD opened by it, and the seed.
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

  /// KFD opened through the thunk and left open from test to test, since opening takes longer than
  /// most tests. Throws as KfdSession::Open.
  static const KfdSession& OpenedKfd();

  /// Closes it where it is open; it was opened at least once then, so that all that the thunk keeps
  /// for the process's life is there. Throws as KfdSession.
  static void CloseKfd();

  static std::uint32_t Seed();
};

}  // namespace kfdcts::harness
