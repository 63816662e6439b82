#pragma once

#include <sys/syscall.h>

#include <array>
#include <cerrno>
#include <functional>

#include "suites/support/memory_test.h"

namespace kfdcts::suites {

/// What a kernel's refusal may be.
inline constexpr std::array kKernelErrors = {ENOMEM, EINVAL, EFAULT, EPERM, ENODEV};
/// No call of the chapter makes more system calls of one kind.
inline constexpr std::uint64_t kMostCalls = 64;

struct CallCase {
  std::string_view name;
  harness::SyscallMatch (*match)();
};
inline constexpr CallCase kFailedCalls[] = {
    {"ioctl", [] { return harness::SyscallMatch::Ioctl(); }},
    {"mmap", [] { return harness::SyscallMatch::Call(SYS_mmap); }},
};

/// How an operation is prepared, done, looked at and undone.
struct Operation {
  std::function<HSAKMT_STATUS()> run;
  std::function<bool()> done;           ///< Whether it shows as done; asked after each run.
  std::function<HSAKMT_STATUS()> undo;  ///< After a success.
};

/// The status is one that a refusal by `error` may have.
inline bool IsRefusal(HSAKMT_STATUS status, int error) {
  if (status == HSAKMT_STATUS_INVALID_PARAMETER) return error == EINVAL;
  return status == HSAKMT_STATUS_ERROR || status == HSAKMT_STATUS_NO_MEMORY ||
         status == HSAKMT_STATUS_INVALID_HANDLE;
}

class FailingCallTest : public MemoryTest {
 protected:
  /// Runs the operation with its first, second, … matching call failed, until none is left.
  void FailEach(const harness::SyscallMatch& match, const Operation& operation) {
    ASSERT_EQ(operation.run(), HSAKMT_STATUS_SUCCESS);  // what is made once only is made now
    ASSERT_TRUE(operation.done());
    ASSERT_EQ(operation.undo(), HSAKMT_STATUS_SUCCESS);
    for (const int error : kKernelErrors) {
      std::uint64_t nth = 1;
      while (nth <= kMostCalls && FailOne(match, nth, error, operation)) ++nth;
      ASSERT_LE(nth, kMostCalls) << "calls without end";
      if (HasFailure()) return;
    }
  }

 private:
  /// Whether there was an `nth` call.
  bool FailOne(const harness::SyscallMatch& match, std::uint64_t nth, int error,
               const Operation& operation) {
    tracer().Reset();
    tracer().FailNth(match, nth, error);
    const HSAKMT_STATUS status = operation.run();
    const bool struck = tracer().Interventions() > 0;
    const std::string calls = tracer().Describe();
    tracer().Reset();
    const bool success = status == HSAKMT_STATUS_SUCCESS;
    EXPECT_TRUE(success || (struck && IsRefusal(status, error)))
        << NameOf(status) << ", call " << nth << " of " << calls << " fails with " << error;
    EXPECT_EQ(operation.done(), success) << "call " << nth << " of " << calls << ", " << error;
    if (!success) {
      EXPECT_EQ(operation.run(), HSAKMT_STATUS_SUCCESS) << "anew, after call " << nth;
    }
    EXPECT_EQ(operation.undo(), HSAKMT_STATUS_SUCCESS);
    return struck && !HasFailure();
  }
};

}  // namespace kfdcts::suites
