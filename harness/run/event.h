#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kfdcts::harness {

/// What the place where the tests run tells about itself.
struct Surroundings {
  std::string kernel_release;
  std::string kfd_version;        ///< Empty where KFD could not be opened.
  std::vector<std::string> gpus;  ///< One line each, in order of ordinal.
};

/// One line of the stream that tells the runner what happens where the tests run.
struct Event {
  enum class Kind {
    kReady,     ///< First of all; `surroundings`.
    kStarted,   ///< `test`, `output_offset`.
    kFailure,   ///< `file`, `line`, `message`, `fatal`.
    kSkipped,   ///< `message`.
    kProperty,  ///< `key`, `value`: RecordProperty's.
    kEnded,     ///< `test`, `milliseconds`, `output` where it failed.
    kDied,      ///< `test`'s process died: `message`, `timed_out`, `milliseconds`, `output`.
    kStuck,     ///< The process of `test` cannot be killed; nothing more will come. An empty
                ///< `test`: one that a test which has ended left behind. `message`: where.
    kPlanDone,  ///< Every test of the plan has ended.
  };

  Kind kind = Kind::kPlanDone;
  std::string test{};  ///< Full name.
  std::string message{};
  std::string file{};
  int line = 0;
  bool fatal = false;
  bool timed_out = false;
  std::string key{};
  std::string value{};
  std::int64_t milliseconds = 0;
  std::string output{};
  std::int64_t output_offset = 0;  ///< Where in the output file the test's own begins.
  Surroundings surroundings{};
};

/// One line of JSON, newline included. Broken UTF-8 is replaced.
std::string ToLine(const Event& event);

/// gtest's text of a failed check without the word that ADD_FAILURE and FAIL put before it, which
/// they will put again where it is repeated.
std::string PlainMessage(std::string_view message);

/// Throws std::runtime_error for what is no event.
Event EventFromLine(std::string_view line);

/// Cuts a byte stream into events. A line whose end has not come is kept; a writer that was killed
/// in the middle of one thus loses that event alone.
class EventReader {
 public:
  /// Throws std::runtime_error with the line's number where a complete line is no event.
  std::vector<Event> Feed(std::string_view bytes);

  /// Bytes of a line without an end.
  std::string_view pending() const { return pending_; }

 private:
  std::string pending_;
  std::uint64_t lines_ = 0;
};

}  // namespace kfdcts::harness
