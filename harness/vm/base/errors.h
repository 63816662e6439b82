#pragma once

#include <stdexcept>
#include <string>

namespace kfdcts::vm {

/// Bad input to a run: no such kernel image, no emulator, an unwritable folder. Nothing is left
/// running.
class RunError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The caller's cancel_fd became readable before the guest was started.
class Cancelled : public std::runtime_error {
 public:
  Cancelled() : std::runtime_error("cancelled") {}
};

/// "what: strerror(errno)" as std::system_error.
[[noreturn]] void ThrowErrno(const std::string& what);

}  // namespace kfdcts::vm
