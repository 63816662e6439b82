// RunIsolated turns what happens to its body into results of the running test. Each case here runs
// under an interceptor that catches those results.
#include "harness/check/isolated.h"

#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <sstream>
#include <stdexcept>

#include "harness/check/check_log.h"
#include "harness/check/part_channel.h"
#include "harness/gpu/error.h"
#include "harness/gpu/wait.h"

namespace kfdcts::check {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// The results that running `body` isolated gives.
std::vector<::testing::TestPartResult> ResultsOf(const std::function<void()>& body,
                                                 milliseconds limit = kCheckLimit) {
  ::testing::TestPartResultArray array;
  {
    const ::testing::ScopedFakeTestPartResultReporter reporter(
        ::testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &array);
    RunIsolated(body, limit);
  }
  std::vector<::testing::TestPartResult> results;
  for (int i = 0; i < array.size(); ++i) results.push_back(array.GetTestPartResult(i));
  return results;
}

TEST(Isolated, GoodBodyHasNoResults) {
  EXPECT_TRUE(ResultsOf([] { EXPECT_EQ(1, 1); }).empty());
}

TEST(Isolated, RunsInAProcessOfItsOwn) {
  const pid_t parent = getpid();
  int value = 1;
  EXPECT_TRUE(ResultsOf([&] {
                value = 2;
                EXPECT_NE(getpid(), parent);
              }).empty());
  EXPECT_EQ(value, 1);
}

TEST(Isolated, SignalledAndExitedBodiesFail) {
  const auto killed = ResultsOf([] { raise(SIGKILL); });
  ASSERT_EQ(killed.size(), 1U);
  EXPECT_THAT(killed[0].message(), HasSubstr("killed by signal 9"));
  const auto quit = ResultsOf([] { _exit(0); });
  ASSERT_EQ(quit.size(), 1U);
  EXPECT_THAT(quit[0].message(), HasSubstr("before its body was over"));
  const auto failed = ResultsOf([] { _exit(3); });
  ASSERT_EQ(failed.size(), 1U);
  EXPECT_THAT(failed[0].message(), HasSubstr("exit code 3"));
}

TEST(Isolated, HangingBodyIsKilledWithWhatItStarted) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const auto results = ResultsOf(
      [&] {
        if (fork() == 0) {
          close(ends[0]);
          pause();
        }
        pause();
      },
      milliseconds(200));
  close(ends[1]);
  ASSERT_EQ(results.size(), 1U);
  EXPECT_THAT(results[0].message(), HasSubstr("not done after 200 ms"));
  char byte = 0;
  EXPECT_EQ(read(ends[0], &byte, 1), 0) << "a process that the body started still holds the pipe";
  close(ends[0]);
}

// The next ones run in the real result machinery: a child of a child.
TEST(Isolated, ResultsComeBackWithFileAndLine) {
  MessageParser parser;
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_TRUE(Send(
      ends[1], {.kind = Message::Kind::kFailure, .line = 42, .file = "some.cpp", .text = "wrong"}));
  ASSERT_TRUE(Send(ends[1], {.kind = Message::Kind::kEnd, .line = -1, .file = "", .text = ""}));
  char buffer[256];
  const ssize_t got = read(ends[0], buffer, sizeof buffer);
  close(ends[0]);
  close(ends[1]);
  ASSERT_GT(got, 2);
  parser.Feed(buffer, static_cast<std::size_t>(got) - 1);
  auto messages = parser.Take();
  ASSERT_EQ(messages.size(), 1U);
  EXPECT_TRUE(parser.rest());
  parser.Feed(buffer + got - 1, 1);
  ASSERT_EQ(parser.Take().size(), 1U);
  ::testing::TestPartResultArray array;
  {
    const ::testing::ScopedFakeTestPartResultReporter reporter(&array);
    Adopt(messages[0]);
  }
  ASSERT_EQ(array.size(), 1);
  EXPECT_STREQ(array.GetTestPartResult(0).file_name(), "some.cpp");
  EXPECT_EQ(array.GetTestPartResult(0).line_number(), 42);
  EXPECT_THAT(array.GetTestPartResult(0).message(), HasSubstr("wrong"));
}

}  // namespace
}  // namespace kfdcts::check
