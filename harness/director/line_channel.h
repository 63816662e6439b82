#pragma once

#include <chrono>
#include <stdexcept>
#include <string>

#include "harness/gpu/wait.h"
#include "harness/vm/base/unique_fd.h"

namespace kfdcts::harness {

/// The channel to a director does not work, or the director refused a command.
class DirectorError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A character device or socket that carries lines both ways. Every wait has a deadline, and
/// signals interrupt none. One thread at a time.
class LineChannel {
 public:
  static constexpr std::size_t kMaxLineBytes = 4 * 1024 * 1024;

  /// Opens a device. A virtio-serial port has one opener at a time: EBUSY for all others. Throws
  /// DirectorError with path and reason.
  static LineChannel Open(const std::string& path);

  /// On a descriptor, which becomes non-blocking. `name` is for messages.
  LineChannel(vm::UniqueFd fd, std::string name);

  /// All of the line, to which a newline is added. Throws DirectorError, at the deadline too.
  void Write(std::string line, const gpu::Deadline& deadline);

  /// The next line without its newline. Throws DirectorError, at the deadline too, after which what
  /// arrives late is the next read's.
  std::string Read(const gpu::Deadline& deadline);

  const std::string& name() const { return name_; }

 private:
  /// Until the descriptor is ready or has failed; throws at the deadline.
  void Wait(short events, const gpu::Deadline& deadline) const;
  [[noreturn]] void Fail(const std::string& what) const;

  vm::UniqueFd fd_;
  std::string name_;
  std::string received_;
};

}  // namespace kfdcts::harness
