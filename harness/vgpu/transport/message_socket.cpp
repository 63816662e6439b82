#include "harness/vgpu/transport/message_socket.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace kfdcts::vgpu {
namespace {

void CollectFds(msghdr& header, Message& message) {
  for (cmsghdr* control = CMSG_FIRSTHDR(&header); control != nullptr;
       control = CMSG_NXTHDR(&header, control)) {
    if (control->cmsg_level != SOL_SOCKET || control->cmsg_type != SCM_RIGHTS) {
      continue;
    }
    const std::size_t count = (control->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(control) + i * sizeof(int), sizeof(int));
      UniqueFd owned(fd);
      if (message.fds.size() < wire::kMaxMessageFds) {
        message.fds.push_back(std::move(owned));
      } else {
        message.fds_lost = true;
      }
    }
  }
  if ((header.msg_flags & MSG_CTRUNC) != 0) {
    message.fds_lost = true;
  }
}

}  // namespace

bool MessageSocket::ReceiveExactly(std::span<std::byte> out, Message& message) {
  while (!out.empty()) {
    alignas(cmsghdr) char control[CMSG_SPACE(wire::kMaxMessageFds * sizeof(int))];
    iovec piece = {out.data(), out.size()};
    msghdr header = {};
    header.msg_iov = &piece;
    header.msg_iovlen = 1;
    header.msg_control = control;
    header.msg_controllen = sizeof(control);
    const ssize_t got = recvmsg(socket_.get(), &header, MSG_CMSG_CLOEXEC);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0) {
      return false;
    }
    CollectFds(header, message);
    out = out.subspan(static_cast<std::size_t>(got));
  }
  return true;
}

MessageSocket::Received MessageSocket::Next(Message& message) {
  message.fds.clear();
  message.fds_lost = false;
  message.payload.clear();
  if (!ReceiveExactly(std::as_writable_bytes(std::span(&message.header, 1)), message)) {
    return Received::kClosed;
  }
  if (message.header.size < sizeof(wire::Header) || message.header.size > wire::kMaxMessageBytes) {
    return Received::kMalformed;
  }
  message.payload.resize(message.header.size - sizeof(wire::Header));
  return ReceiveExactly(message.payload, message) ? Received::kMessage : Received::kClosed;
}

bool MessageSocket::Send(const wire::Header& header, std::span<const std::byte> payload, int fd) {
  wire::Header copy = header;
  iovec pieces[2] = {{&copy, sizeof(copy)},
                     {const_cast<std::byte*>(payload.data()), payload.size()}};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message = {};
  message.msg_iov = pieces;
  message.msg_iovlen = payload.empty() ? 1 : 2;
  if (fd >= 0) {
    message.msg_control = control;
    message.msg_controllen = sizeof(control);
    cmsghdr* rights = CMSG_FIRSTHDR(&message);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(rights), &fd, sizeof(int));
  }
  while (message.msg_iovlen > 0) {
    const ssize_t sent = sendmsg(socket_.get(), &message, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) {
      continue;
    }
    if (sent < 0) {
      return false;
    }
    // The descriptor went with the first byte.
    message.msg_control = nullptr;
    message.msg_controllen = 0;
    auto rest = static_cast<std::size_t>(sent);
    while (message.msg_iovlen > 0 && rest >= message.msg_iov->iov_len) {
      rest -= message.msg_iov->iov_len;
      ++message.msg_iov;
      --message.msg_iovlen;
    }
    if (message.msg_iovlen > 0) {
      message.msg_iov->iov_base = static_cast<char*>(message.msg_iov->iov_base) + rest;
      message.msg_iov->iov_len -= rest;
    }
  }
  return true;
}

void MessageSocket::Shutdown() { shutdown(socket_.get(), SHUT_RDWR); }

}  // namespace kfdcts::vgpu
