#include "harness/vgpu/transport/message_socket.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <cstring>
#include <string>
#include <thread>

#include "harness/vgpu/test/transport/memfd.h"
#include "harness/vgpu/test/transport/vfio_client.h"

namespace kfdcts::vgpu {
namespace {

using Received = MessageSocket::Received;

class MessageSocketTest : public testing::Test {
 protected:
  MessageSocketTest() {
    std::array<int, 2> fds = {};
    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds.data());
    peer_ = UniqueFd(fds[0]);
    socket_.emplace(UniqueFd(fds[1]));
  }

  static std::string Bytes(std::uint32_t size, const std::string& payload) {
    const wire::Header header = {7, 9, size, 0, 0};
    return std::string(reinterpret_cast<const char*>(&header), sizeof(header)) + payload;
  }
  void Send(const std::string& bytes) {
    ASSERT_EQ(send(peer_.get(), bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
  }
  void SendWithFds(const std::string& bytes, std::size_t count) {
    const UniqueFd file = MakeMemfd(4096);
    const std::vector<int> fds(count, file.get());
    ASSERT_TRUE(SendRaw(peer_.get(), std::as_bytes(std::span(bytes)), fds));
  }
  std::string Payload() const {
    return {reinterpret_cast<const char*>(message_.payload.data()), message_.payload.size()};
  }

  UniqueFd peer_;
  std::optional<MessageSocket> socket_;
  Message message_;
};

TEST_F(MessageSocketTest, MessagesInARowAreTakenOneByOne) {
  Send(Bytes(19, "one") + Bytes(16, "") + Bytes(21, "three"));
  ASSERT_EQ(socket_->Next(message_), Received::kMessage);
  EXPECT_EQ(Payload(), "one");
  EXPECT_EQ(message_.header.id, 7);
  ASSERT_EQ(socket_->Next(message_), Received::kMessage);
  EXPECT_EQ(Payload(), "");
  ASSERT_EQ(socket_->Next(message_), Received::kMessage);
  EXPECT_EQ(Payload(), "three");
}

TEST_F(MessageSocketTest, PiecesOfAMessageAreJoined) {
  std::thread sender([this] {
    for (const char byte : Bytes(22, "pieces")) {
      send(peer_.get(), &byte, 1, 0);
    }
  });
  EXPECT_EQ(socket_->Next(message_), Received::kMessage);
  sender.join();
  EXPECT_EQ(Payload(), "pieces");
}

TEST_F(MessageSocketTest, SizesThatCannotBe) {
  Send(Bytes(15, ""));
  EXPECT_EQ(socket_->Next(message_), Received::kMalformed);
  Send(Bytes(0, ""));
  EXPECT_EQ(socket_->Next(message_), Received::kMalformed);
  Send(Bytes(wire::kMaxMessageBytes + 1, ""));
  EXPECT_EQ(socket_->Next(message_), Received::kMalformed);
  Send(Bytes(0xffffffff, ""));
  EXPECT_EQ(socket_->Next(message_), Received::kMalformed);
}

TEST_F(MessageSocketTest, PeerThatLeavesInsideAMessage) {
  Send(Bytes(100, "not all of it"));
  peer_.Reset();
  EXPECT_EQ(socket_->Next(message_), Received::kClosed);
}

TEST_F(MessageSocketTest, ShutdownEndsWaiting) {
  std::thread other([this] { socket_->Shutdown(); });
  EXPECT_EQ(socket_->Next(message_), Received::kClosed);
  other.join();
}

TEST_F(MessageSocketTest, DescriptorsBelongToTheirMessage) {
  SendWithFds(Bytes(17, "a"), 2);
  Send(Bytes(17, "b"));
  ASSERT_EQ(socket_->Next(message_), Received::kMessage);
  EXPECT_EQ(message_.fds.size(), 2U);
  ASSERT_EQ(socket_->Next(message_), Received::kMessage);
  EXPECT_TRUE(message_.fds.empty());
}

TEST_F(MessageSocketTest, DescriptorsAreClosedWithTheMessage) {
  const std::size_t before = OpenFds();
  SendWithFds(Bytes(17, "a"), 8);
  ASSERT_EQ(socket_->Next(message_), Received::kMessage);
  EXPECT_EQ(OpenFds(), before + 8);
  EXPECT_FALSE(message_.fds_lost);
  message_ = {};
  EXPECT_EQ(OpenFds(), before);
}

TEST_F(MessageSocketTest, TooManyDescriptorsAreNoticedAndClosed) {
  const std::size_t before = OpenFds();
  SendWithFds(Bytes(17, "a"), 200);
  ASSERT_EQ(socket_->Next(message_), Received::kMessage);
  EXPECT_TRUE(message_.fds_lost);
  message_ = {};
  EXPECT_EQ(OpenFds(), before);
}

TEST_F(MessageSocketTest, SendCarriesPayloadAndDescriptor) {
  const UniqueFd file = MakeMemfd(4096);
  const std::string text = "payload";
  const wire::Header header = {1, 2, 23, 1, 0};
  ASSERT_TRUE(socket_->Send(header, std::as_bytes(std::span(text)), file.get()));
  MessageSocket peer(std::move(peer_));
  ASSERT_EQ(peer.Next(message_), Received::kMessage);
  EXPECT_EQ(Payload(), text);
  EXPECT_EQ(message_.fds.size(), 1U);
}

TEST_F(MessageSocketTest, SendOfMoreThanTheBufferHolds) {
  const std::vector<std::byte> payload(1 << 20, std::byte{0x5a});
  MessageSocket peer(std::move(peer_));
  std::thread sender([&] {
    const wire::Header header = {1, 2, static_cast<std::uint32_t>(16 + payload.size()), 1, 0};
    EXPECT_TRUE(socket_->Send(header, payload));
  });
  EXPECT_EQ(peer.Next(message_), Received::kMessage);
  sender.join();
  EXPECT_EQ(message_.payload, payload);
}

TEST_F(MessageSocketTest, SendToAPeerThatLeftFails) {
  peer_.Reset();
  EXPECT_FALSE(socket_->Send({1, 2, 16, 1, 0}, {}));
}

}  // namespace
}  // namespace kfdcts::vgpu
