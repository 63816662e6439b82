#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace kfdcts::check {

/// What an isolated body tells its parent.
struct Message {
  enum class Kind : std::uint32_t { kFailure, kFatalFailure, kSkip, kExpectedKernelLog, kEnd };

  Kind kind = Kind::kEnd;
  std::int32_t line = -1;
  std::string file;
  std::string text;
};

/// Appends the message's bytes to a pipe. False where it cannot be written.
bool Send(int fd, const Message& message);

/// Cuts the bytes of a pipe into messages.
class MessageParser {
 public:
  void Feed(const char* data, std::size_t size) { pending_.append(data, size); }
  /// The complete ones so far, oldest first; each only once.
  std::vector<Message> Take();
  bool rest() const { return !pending_.empty(); }

 private:
  std::string pending_;
};

/// Sends every failure and skip of the running test to a pipe.
class PartForwarder : public ::testing::EmptyTestEventListener {
 public:
  explicit PartForwarder(int fd) : fd_(fd) {}
  void OnTestPartResult(const ::testing::TestPartResult& part) override;

 private:
  int fd_;
};

/// Makes a message of a failure or skip a result of the current test. Others are not allowed here.
void Adopt(const Message& message);

}  // namespace kfdcts::check
