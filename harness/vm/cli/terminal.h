#pragma once

#include <termios.h>

namespace kfdcts::vm {

/// Puts the terminal into raw mode for its lifetime: every key goes to the guest. Does nothing
/// where `fd` is none.
class RawTerminal {
 public:
  explicit RawTerminal(int fd) : fd_(fd), active_(tcgetattr(fd, &saved_) == 0) {
    if (active_) {
      termios raw = saved_;
      cfmakeraw(&raw);
      tcsetattr(fd_, TCSANOW, &raw);
    }
  }
  RawTerminal(const RawTerminal&) = delete;
  RawTerminal& operator=(const RawTerminal&) = delete;
  ~RawTerminal() {
    if (active_) {
      tcsetattr(fd_, TCSAFLUSH, &saved_);
    }
  }

 private:
  int fd_;
  termios saved_{};
  bool active_;
};

}  // namespace kfdcts::vm
