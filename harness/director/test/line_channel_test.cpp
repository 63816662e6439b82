#include "harness/director/line_channel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <thread>

namespace kfdcts::harness {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::ThrowsMessage;

class LineChannelTest : public testing::Test {
 protected:
  void SetUp() override {
    int ends[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    near_ = vm::UniqueFd(ends[0]);
    far_ = vm::UniqueFd(ends[1]);
    signal(SIGPIPE, SIG_IGN);
  }
  void Say(const std::string& text) const {
    ASSERT_EQ(write(far_.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  LineChannel Channel() { return {std::move(near_), "port"}; }

  vm::UniqueFd near_, far_;
};

TEST_F(LineChannelTest, LinesInPiecesAndSeveralAtOnce) {
  LineChannel channel = Channel();
  Say("one\ntwo\nthr");
  EXPECT_EQ(channel.Read(gpu::Deadline(milliseconds(1000))), "one");
  EXPECT_EQ(channel.Read(gpu::Deadline(milliseconds(0))), "two");
  EXPECT_THAT([&] { channel.Read(gpu::Deadline(milliseconds(1))); },
              ThrowsMessage<DirectorError>("port: no answer in time"));
  Say("ee\n");
  EXPECT_EQ(channel.Read(gpu::Deadline(milliseconds(1000))), "three");
}

TEST_F(LineChannelTest, AFullChannelEndsAtTheDeadline) {
  LineChannel channel = Channel();
  EXPECT_THAT([&] { channel.Write(std::string(8 << 20, 'x'), gpu::Deadline(milliseconds(20))); },
              ThrowsMessage<DirectorError>("port: takes no command in time"));
}

TEST_F(LineChannelTest, AClosedEndIsAnError) {
  LineChannel channel = Channel();
  far_.Reset();
  EXPECT_THAT([&] { channel.Read(gpu::Deadline(milliseconds(1000))); },
              ThrowsMessage<DirectorError>("port: the other end is closed"));
  EXPECT_THROW(channel.Write("x", gpu::Deadline(milliseconds(1000))), DirectorError);
}

TEST_F(LineChannelTest, AnEndlessLineIsAnError) {
  LineChannel channel = Channel();
  std::jthread speaker([&] {
    const std::string text(1 << 16, 'x');
    while (write(far_.get(), text.data(), text.size()) > 0) {
    }
  });
  {
    LineChannel reader = std::move(channel);
    EXPECT_THAT([&] { reader.Read(gpu::Deadline(milliseconds(10'000))); },
                ThrowsMessage<DirectorError>("port: a line without end"));
  }  // closed, which ends the speaker
}

TEST_F(LineChannelTest, SignalsInterruptNoWait) {
  LineChannel channel = Channel();
  struct sigaction action = {};
  action.sa_handler = [](int) {};
  struct sigaction before = {};
  ASSERT_EQ(sigaction(SIGUSR1, &action, &before), 0);
  const pthread_t reader = pthread_self();
  std::jthread sender([&] {
    for (int i = 0; i < 20; ++i) {
      pthread_kill(reader, SIGUSR1);
      std::this_thread::yield();
    }
    Say("late\n");
  });
  EXPECT_EQ(channel.Read(gpu::Deadline(milliseconds(10'000))), "late");
  sender.join();
  sigaction(SIGUSR1, &before, nullptr);
}

TEST(LineChannel, OpenSaysWhatAndWhy) {
  EXPECT_THAT([] { LineChannel::Open("/nowhere/port"); },
              ThrowsMessage<DirectorError>("/nowhere/port: No such file or directory"));
}

}  // namespace
}  // namespace kfdcts::harness
