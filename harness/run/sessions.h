#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/run/session.h"

namespace kfdcts::harness {

/// The sessions of a run: the ordinary one, and where the target can boot so one more for tests
/// that want the GPUs' retry off (Xnack::kOff). Tests run one after another in the order that was
/// asked for, whichever session they belong to; a session boots when its first test comes.
class Sessions {
 public:
  struct Options {
    Session::Options session;
    Target* off_target = nullptr;  ///< Null: every test runs in the ordinary one.
    std::string off_name{};        ///< For the user: how that one boots.
    std::set<std::string> off_tests{};
    /// Asked before a second guest boots: whether the first may stay. Else they take turns.
    std::function<bool()> room_for_both = [] { return true; };
  };

  /// The second's boots lie in results/xnack-off.
  Sessions(Target& target, Options options);
  Sessions(const Sessions&) = delete;
  Sessions& operator=(const Sessions&) = delete;

  /// Says which tests come next, in this order, and boots for the first. Throws vm::RunError where
  /// the target was given bad input.
  void Begin(std::vector<std::string> tests);

  /// Boots where `test` is to run, before Begin(), so that surroundings() are known. Throws as
  /// that does.
  void Open(const std::string& test);

  /// Runs the next test of Begin(), which must be `test`. Throws as Begin().
  TestRecord Run(const std::string& test);

  /// Ends what runs.
  void Finish();

  /// Whether the last test that ran was in the second session.
  bool in_off() const { return current_ == &off_; }
  /// Whether anything ran there.
  bool used_off() const { return used_off_; }
  const Surroundings& surroundings() const { return current_->surroundings(); }
  std::vector<std::string> device_complaints() const;
  /// Why nothing more is run; empty: it goes on.
  const std::string& over() const { return plain_.over(); }
  bool interrupted() const { return plain_.interrupted() || off_.interrupted(); }

 private:
  Session& SessionOf(const std::string& test);
  void BeginSegment();

  Options options_;
  Session plain_;
  Session off_;
  Session* current_ = &plain_;
  bool used_off_ = false;
  std::vector<std::string> tests_;
  std::size_t next_ = 0;         ///< Of tests_.
  std::size_t segment_end_ = 0;  ///< What its session knows of.
};

inline constexpr const char* kOffFolder = "xnack-off";

}  // namespace kfdcts::harness
