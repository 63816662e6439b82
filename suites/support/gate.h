#pragma once

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <system_error>

#include "harness/gpu/unique_fd.h"

namespace kfdcts::suites {

/// Opened once by one thread or process, waited for by another; made before the fork.
class Gate {
 public:
  /// Throws std::system_error.
  Gate() : event_(eventfd(0, EFD_CLOEXEC)) {
    if (!event_.valid()) throw std::system_error(errno, std::generic_category(), "eventfd");
  }

  void Open() const {
    const std::uint64_t one = 1;
    while (write(event_.get(), &one, sizeof(one)) < 0 && errno == EINTR) {
    }
  }

  /// False where nobody opens it in 20 s: who should is dead.
  bool Wait() const {
    pollfd opened{event_.get(), POLLIN, 0};
    int ready = 0;
    while ((ready = poll(&opened, 1, 20'000)) < 0 && errno == EINTR) {
    }
    return ready > 0;
  }

 private:
  gpu::UniqueFd event_;
};

}  // namespace kfdcts::suites
