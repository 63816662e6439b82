#include "harness/vgpu/director/line_server.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <system_error>

namespace kfdcts::vgpu {
namespace {

std::string SocketPath() {
  return testing::TempDir() + "vgpu-director-" + std::to_string(getpid());
}

/// A client that blocks; every test ends because the server answers or drops it.
class Client {
 public:
  explicit Client(const std::string& path) : socket_(socket(AF_UNIX, SOCK_STREAM, 0)) {
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.data(), path.size());
    EXPECT_EQ(connect(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  }
  bool Say(const std::string& text) const {
    return send(socket_.get(), text.data(), text.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(text.size());
  }
  /// The next line, or "<closed>".
  std::string Hear() {
    std::string line;
    char byte = 0;
    while (recv(socket_.get(), &byte, 1, 0) == 1) {
      if (byte == '\n') {
        return line;
      }
      line += byte;
    }
    return "<closed>";
  }

 private:
  UniqueFd socket_;
};

class LineServerTest : public testing::Test {
 protected:
  std::string path_ = SocketPath();
  LineServer server_{path_, [](std::string_view line) { return "<" + std::string(line) + ">"; }};
};

TEST_F(LineServerTest, AnswersLineByLine) {
  Client client(path_);
  client.Say("one\ntwo\n");
  EXPECT_EQ(client.Hear(), "<one>");
  EXPECT_EQ(client.Hear(), "<two>");
}

TEST_F(LineServerTest, JoinsPiecesAndSkipsEmptyLines) {
  Client client(path_);
  client.Say("\n\r\nhal");
  client.Say("f\n");
  EXPECT_EQ(client.Hear(), "<half>");
}

TEST_F(LineServerTest, ServesSeveralClientsAndThoseThatComeBack) {
  Client first(path_);
  {
    Client second(path_);
    second.Say("b\n");
    EXPECT_EQ(second.Hear(), "<b>");
    second.Say("left half said");
  }
  first.Say("a\n");
  EXPECT_EQ(first.Hear(), "<a>");
  Client again(path_);
  again.Say("c\n");
  EXPECT_EQ(again.Hear(), "<c>");
}

TEST_F(LineServerTest, MoreClientsThanItServesAtOnceWaitTheirTurn) {
  std::list<Client> clients;
  for (std::size_t i = 0; i < LineServer::kMaxClients; ++i) {
    clients.emplace_back(path_).Say("x\n");
  }
  Client waiting(path_);
  waiting.Say("late\n");
  clients.pop_front();
  EXPECT_EQ(waiting.Hear(), "<late>");
}

TEST_F(LineServerTest, DropsAClientWhoseLineDoesNotEnd) {
  Client client(path_);
  const std::string endless(LineServer::kMaxLineBytes + 1, 'x');
  client.Say(endless);
  EXPECT_EQ(client.Hear(), "<closed>");
}

TEST_F(LineServerTest, DropsAClientThatDoesNotTakeItsAnswers) {
  Client client(path_);
  const std::string line = std::string(60'000, 'x') + "\n";
  int said = 0;
  while (said < 10'000 && client.Say(line)) {
    ++said;
  }
  EXPECT_LT(said, 10'000);
}

TEST_F(LineServerTest, SocketIsTheOwnersOnly) {
  struct stat status = {};
  ASSERT_EQ(stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
}

TEST_F(LineServerTest, PathInUseIsAnErrorAndStays) {
  EXPECT_THROW(LineServer(path_, [](std::string_view) { return ""; }), std::system_error);
  EXPECT_EQ(access(path_.c_str(), F_OK), 0);
}

TEST(LineServer, LeavesNoSocketBehind) {
  const std::string path = SocketPath();
  {
    const LineServer server(path, [](std::string_view) { return ""; });
  }
  EXPECT_NE(access(path.c_str(), F_OK), 0);
}

TEST(LineServer, PathTooLongIsAnError) {
  EXPECT_THROW(LineServer(std::string(200, 'x'), [](std::string_view) { return ""; }),
               std::system_error);
}

}  // namespace
}  // namespace kfdcts::vgpu
