#pragma once

#include <string>
#include <vector>

#include "harness/run/event.h"

namespace kfdcts::harness {

/// Writes events to every descriptor given, each event by one write, so that what was written is
/// not lost with the process. Does not own them. Any thread.
class EventSink {
 public:
  explicit EventSink(std::vector<int> descriptors) : descriptors_(std::move(descriptors)) {}

  /// Throws std::system_error where one cannot be written.
  void Write(const Event& event) const;

 private:
  std::vector<int> descriptors_;
};

/// The bytes of `fd` from `offset` on, at most the last `limit` of them, without moving the file
/// position. Empty where it cannot be read.
std::string ReadFrom(int fd, std::int64_t offset, std::size_t limit);

/// How much of a test's output goes into its report.
inline constexpr std::size_t kOutputLimit = 16384;

}  // namespace kfdcts::harness
