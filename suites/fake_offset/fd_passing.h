#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

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

/// Bytes of one message and, unless it is negative, a descriptor. Throws std::system_error.
void SendBytes(int socket, std::span<const std::byte> bytes, int fd);
/// One message of exactly that size, and the descriptor that came with it. Throws
/// std::system_error, also where the other end is gone.
gpu::UniqueFd ReceiveBytes(int socket, std::span<std::byte> bytes);

/// `fd` -1: only the number. Throws std::system_error.
void SendFd(int socket, int fd, std::uint64_t number);
/// Throws std::system_error, also where the other end is gone.
FdMessage ReceiveFd(int socket);

}  // namespace kfdcts::suites
