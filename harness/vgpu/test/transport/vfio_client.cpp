#include "harness/vgpu/test/transport/vfio_client.h"

#include <linux/vfio.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace kfdcts::vgpu {

bool SendRaw(int socket, std::span<const std::byte> bytes, std::span<const int> fds) {
  std::vector<char> control(CMSG_SPACE(fds.size_bytes()));
  iovec piece = {const_cast<std::byte*>(bytes.data()), bytes.size()};
  msghdr message = {};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  if (!fds.empty()) {
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    cmsghdr* rights = CMSG_FIRSTHDR(&message);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(fds.size_bytes());
    std::memcpy(CMSG_DATA(rights), fds.data(), fds.size_bytes());
  }
  while (piece.iov_len > 0) {
    const ssize_t sent = sendmsg(socket, &message, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) {
      continue;
    }
    if (sent < 0) {
      return false;
    }
    message.msg_control = nullptr;
    message.msg_controllen = 0;
    piece.iov_base = static_cast<char*>(piece.iov_base) + sent;
    piece.iov_len -= static_cast<std::size_t>(sent);
  }
  return true;
}

bool VfioClient::SendCommand(wire::Command command, std::span<const std::byte> payload,
                             std::span<const int> fds, std::uint32_t flags) {
  const wire::Header header = {next_id_++, static_cast<std::uint16_t>(command),
                               static_cast<std::uint32_t>(sizeof(wire::Header) + payload.size()),
                               flags, 0};
  Bytes bytes = BytesOf(header);
  bytes.insert(bytes.end(), payload.begin(), payload.end());
  return SendRaw(fd_, bytes, fds);
}

VfioClient::Reply VfioClient::Request(wire::Command command, std::span<const std::byte> payload,
                                      std::span<const int> fds) {
  if (!SendCommand(command, payload, fds, 0)) {
    return {ECONNRESET, {}, {}};
  }
  return Receive();
}

bool VfioClient::Post(wire::Command command, std::span<const std::byte> payload) {
  return SendCommand(command, payload, {}, wire::kFlagNoReply);
}

VfioClient::Reply VfioClient::Receive() {
  if (socket_.Next(message_) != MessageSocket::Received::kMessage) {
    return {ECONNRESET, {}, {}};
  }
  const bool failed = (message_.header.flags & wire::kFlagError) != 0;
  return {failed ? message_.header.error : 0, message_.payload, std::move(message_.fds)};
}

std::uint32_t VfioClient::Negotiate() {
  return Request(wire::Command::kVersion, BytesOf(wire::Version{0, 0})).error;
}

std::uint32_t VfioClient::MapMemory(std::uint64_t address, std::uint64_t size, int fd) {
  const wire::DmaMap request = {sizeof(request), wire::kDmaReadable | wire::kDmaWritable, 0,
                                address, size};
  return Request(wire::Command::kDmaMap, BytesOf(request), std::span(&fd, 1)).error;
}

std::uint32_t VfioClient::UseMsi(int event_fd) {
  const std::uint32_t flags = VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER;
  const std::uint32_t request[] = {sizeof(vfio_irq_set), flags, VFIO_PCI_MSI_IRQ_INDEX, 0, 1};
  return Request(wire::Command::kDeviceSetIrqs, std::as_bytes(std::span(request)),
                 std::span(&event_fd, 1))
      .error;
}

VfioClient::Reply VfioClient::ReadRegion(std::uint32_t region, std::uint64_t offset,
                                         std::uint32_t count) {
  Reply reply =
      Request(wire::Command::kRegionRead, BytesOf(wire::RegionAccess{offset, region, count}));
  if (reply.error == 0) {
    reply.payload.erase(reply.payload.begin(), reply.payload.begin() + sizeof(wire::RegionAccess));
  }
  return reply;
}

std::uint32_t VfioClient::WriteRegion(std::uint32_t region, std::uint64_t offset,
                                      std::span<const std::byte> data) {
  const wire::RegionAccess access = {offset, region, static_cast<std::uint32_t>(data.size())};
  Bytes payload = BytesOf(access);
  payload.insert(payload.end(), data.begin(), data.end());
  return Request(wire::Command::kRegionWrite, payload).error;
}

std::uint32_t VfioClient::ReadRegister(std::uint64_t offset) {
  return ReadRegion(VFIO_PCI_BAR5_REGION_INDEX, offset, 4).As<std::uint32_t>();
}

void VfioClient::WriteRegister(std::uint64_t offset, std::uint32_t value) {
  WriteRegion(VFIO_PCI_BAR5_REGION_INDEX, offset, BytesOf(value));
}

void VfioClient::WriteDoorbell(std::uint64_t offset, std::uint64_t value) {
  WriteRegion(VFIO_PCI_BAR2_REGION_INDEX, offset, BytesOf(value));
}

}  // namespace kfdcts::vgpu
