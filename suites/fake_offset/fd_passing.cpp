#include "suites/fake_offset/fd_passing.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace kfdcts::suites {
namespace {

[[noreturn]] void Fail(const char* call) {
  throw std::system_error(errno, std::generic_category(), call);
}

/// Room for one descriptor beside the data.
using Control = std::array<char, CMSG_SPACE(sizeof(int))>;

}  // namespace

SocketPair::SocketPair() {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) Fail("socketpair");
  one = gpu::UniqueFd(ends[0]);
  other = gpu::UniqueFd(ends[1]);
}

void SendBytes(int socket, std::span<const std::byte> bytes, int fd) {
  iovec data{const_cast<std::byte*>(bytes.data()), bytes.size()};
  alignas(cmsghdr) Control control{};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  if (fd >= 0) {
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(header), &fd, sizeof(int));
  }
  while (sendmsg(socket, &message, MSG_NOSIGNAL) < 0) {
    if (errno != EINTR) Fail("sendmsg");
  }
}

gpu::UniqueFd ReceiveBytes(int socket, std::span<std::byte> bytes) {
  iovec data{bytes.data(), bytes.size()};
  alignas(cmsghdr) Control control{};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  ssize_t size = 0;
  while ((size = recvmsg(socket, &message, MSG_CMSG_CLOEXEC)) < 0) {
    if (errno != EINTR) Fail("recvmsg");
  }
  gpu::UniqueFd fd;
  if (const cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr) {
    int number = -1;
    std::memcpy(&number, CMSG_DATA(header), sizeof(int));
    fd = gpu::UniqueFd(number);
  }
  if (static_cast<std::size_t>(size) != bytes.size()) {
    throw std::system_error(ECONNRESET, std::generic_category(), "recvmsg");
  }
  return fd;
}

void SendFd(int socket, int fd, std::uint64_t number) {
  SendBytes(socket, std::as_bytes(std::span(&number, 1)), fd);
}

FdMessage ReceiveFd(int socket) {
  FdMessage received;
  received.fd = ReceiveBytes(socket, std::as_writable_bytes(std::span(&received.number, 1)));
  return received;
}

}  // namespace kfdcts::suites
