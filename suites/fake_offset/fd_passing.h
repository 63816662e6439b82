#pragma once

#include <cstdint>

#include "harness/gpu/unique_fd.h"

namespace kfdcts::suites {

/// Two ends of a local connection that keeps messages apart.
struct SocketPair {
  /// Throws std::system_error.
  SocketPair();

  gpu::UniqueFd one;
  gpu::UniqueFd other;
};

/// A descriptor and a number from one process to another.
struct FdMessage {
  gpu::UniqueFd fd;  ///< Of the receiver; may be invalid.
  std::uint64_t number = 0;
};

/// `fd` -1: only the number. Throws std::system_error.
void SendFd(int socket, int fd, std::uint64_t number);
/// Throws std::system_error, also where the other end is gone.
FdMessage ReceiveFd(int socket);

}  // namespace kfdcts::suites
