#pragma once

namespace kfdcts::thunk {

/// What becomes of this thread's operator new.
struct FailingAllocations {
  long left = -1;  ///< How many more succeed before one fails; negative: all.
  bool failed = false;
  int sheltered = 0;  ///< Not 0: those that happen now succeed and do not count.
};

extern thread_local FailingAllocations failing_allocations;

}  // namespace kfdcts::thunk
