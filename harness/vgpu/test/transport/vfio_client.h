#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "harness/vgpu/transport/message_socket.h"
#include "harness/vgpu/transport/unique_fd.h"
#include "harness/vgpu/transport/wire.h"

namespace kfdcts::vgpu {

using Bytes = std::vector<std::byte>;

template <typename T>
Bytes BytesOf(const T& value) {
  const auto bytes = std::as_bytes(std::span(&value, 1));
  return {bytes.begin(), bytes.end()};
}

/// Joins values of any trivial types, one after the other.
template <typename... Ts>
Bytes Join(const Ts&... values) {
  Bytes all;
  (
      [&] {
        const Bytes one = BytesOf(values);
        all.insert(all.end(), one.begin(), one.end());
      }(),
      ...);
  return all;
}

/// Sends bytes with any number of descriptors (not owned) attached. False where the peer is gone.
bool SendRaw(int socket, std::span<const std::byte> bytes, std::span<const int> fds = {});

/// The emulator's end of a vfio-user connection, for tests and benchmarks. Requests wait for their
/// reply; a test fails by the reply's error, or by `closed()`.
class VfioClient {
 public:
  struct Reply {
    std::uint32_t error = 0;  ///< ECONNRESET where the server closed the connection.
    Bytes payload;
    std::vector<UniqueFd> fds;

    template <typename T>
    T As(std::size_t offset = 0) const {
      T value = {};
      if (payload.size() >= offset + sizeof(T)) {
        std::memcpy(&value, payload.data() + offset, sizeof(T));
      }
      return value;
    }
  };

  explicit VfioClient(UniqueFd socket) : fd_(socket.get()), socket_(std::move(socket)) {}

  Reply Request(wire::Command command, std::span<const std::byte> payload = {},
                std::span<const int> fds = {});
  /// A command that wants no reply.
  bool Post(wire::Command command, std::span<const std::byte> payload);
  /// Reads one reply, of whatever request.
  Reply Receive();
  std::uint16_t last_reply_id() const { return message_.header.id; }

  std::uint32_t Negotiate();
  std::uint32_t MapMemory(std::uint64_t address, std::uint64_t size, int fd);
  std::uint32_t UseMsi(int event_fd);

  Reply ReadRegion(std::uint32_t region, std::uint64_t offset, std::uint32_t count);
  std::uint32_t WriteRegion(std::uint32_t region, std::uint64_t offset,
                            std::span<const std::byte> data);
  std::uint32_t ReadRegister(std::uint64_t offset);
  void WriteRegister(std::uint64_t offset, std::uint32_t value);
  void WriteDoorbell(std::uint64_t offset, std::uint64_t value);

  int fd() const { return fd_; }

 private:
  bool SendCommand(wire::Command command, std::span<const std::byte> payload,
                   std::span<const int> fds, std::uint32_t flags);

  int fd_;
  MessageSocket socket_;
  Message message_;
  std::uint16_t next_id_ = 1;
};

}  // namespace kfdcts::vgpu
