#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include "suites/support/svm_test.h"

namespace kfdcts::suites {

/// The events of one GPU since the construction, kept, so that a test can ask several questions of
/// them. What came is read at each question.
class EventLog {
 public:
  /// Page faults, migrations, evictions and restores of queues, unmaps.
  EventLog(const harness::ThunkApi& thunk, const harness::GpuNode& gpu);

  const std::vector<gpu::SmiEvent>& All();

  using Predicate = std::function<bool(const gpu::SmiEvent&)>;
  std::size_t Count(std::uint32_t type);
  std::size_t Count(std::uint32_t type, const Predicate& predicate);

  /// Waits for the `count`-th event of this type. False where it does not come.
  bool WaitFor(std::uint32_t type, std::size_t count = 1);
  /// Waits until as many restores that put the queues back came as evictions, at least `count`.
  bool WaitForQueuesBack(std::size_t count = 1);

  /// The lines of all events, for messages.
  std::string Text();

 private:
  SmiWatch watch_;
  std::vector<gpu::SmiEvent> events_;
};

/// Of QUEUE_RESTORE: the queues are back, rather than their return put off.
inline bool IsBack(const gpu::SmiEvent& event) { return event.access != 'R'; }

}  // namespace kfdcts::suites
