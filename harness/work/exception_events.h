#pragma once

#include <optional>

#include "harness/thunk/thunk.h"
#include "harness/work/work_result.h"

namespace kfdcts::harness {

/// A memory exception event and a hardware exception event of this process. KFD signals all such
/// events of a process, whichever GPU and queue the exception comes from. Destroyed at the end.
/// Refers to the thunk's table.
class ExceptionEvents {
 public:
  /// Throws std::runtime_error.
  ExceptionEvents(const ThunkApi& thunk, HSAuint32 node);
  ~ExceptionEvents();
  ExceptionEvents(const ExceptionEvents&) = delete;
  ExceptionEvents& operator=(const ExceptionEvents&) = delete;

  /// An exception since the last call, as kFault or kReset. Does not wait. Throws
  /// std::runtime_error where the thunk fails.
  std::optional<WorkResult> Take();

 private:
  HsaEvent* Create(HSA_EVENTTYPE type);
  /// Another event in place of a signalled one: system events cannot be reset (hsaKmtResetEvent).
  void Renew(HsaEvent*& event, HSA_EVENTTYPE type);
  bool IsSignalled(HsaEvent* event) const;

  const ThunkApi& thunk_;
  HSAuint32 node_;
  HsaEvent* memory_ = nullptr;
  HsaEvent* hardware_ = nullptr;
};

}  // namespace kfdcts::harness
