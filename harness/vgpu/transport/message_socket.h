#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "harness/vgpu/transport/unique_fd.h"
#include "harness/vgpu/transport/wire.h"

namespace kfdcts::vgpu {

struct Message {
  wire::Header header = {};
  std::vector<std::byte> payload;
  std::vector<UniqueFd> fds;
  bool fds_lost = false;  ///< More descriptors came than a message may carry; the rest was closed
                          ///< by the kernel.
};

/// One connected vfio-user client. Next and Send belong to one thread; Shutdown may come from any.
class MessageSocket {
 public:
  enum class Received {
    kMessage,
    kClosed,     ///< The peer went away or Shutdown was called, between two messages or inside one.
    kMalformed,  ///< A size that cannot be: where the next message begins is unknown.
  };

  explicit MessageSocket(UniqueFd socket) : socket_(std::move(socket)) {}

  /// Waits for a whole message. `message` is overwritten; its buffers are reused.
  Received Next(Message& message);

  /// Sends header and payload, and `fd` (not owned) with them unless it is -1. False where the peer
  /// is gone.
  bool Send(const wire::Header& header, std::span<const std::byte> payload, int fd = -1);

  /// Wakes and ends both directions.
  void Shutdown();

 private:
  bool ReceiveExactly(std::span<std::byte> out, Message& message);

  UniqueFd socket_;
};

}  // namespace kfdcts::vgpu
