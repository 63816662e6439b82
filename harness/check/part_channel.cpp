#include "harness/check/part_channel.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <stdexcept>

namespace kfdcts::check {
namespace {

struct FrameHeader {
  Message::Kind kind;
  std::int32_t line;
  std::uint32_t file_bytes, text_bytes;
};

std::optional<Message> Cut(const std::string& bytes, std::size_t& offset) {
  FrameHeader header{};
  if (bytes.size() - offset < sizeof header) return std::nullopt;
  std::memcpy(&header, bytes.data() + offset, sizeof header);
  const std::size_t size = sizeof header + header.file_bytes + header.text_bytes;
  if (bytes.size() - offset < size) return std::nullopt;
  Message message{header.kind, header.line, bytes.substr(offset + sizeof header, header.file_bytes),
                  bytes.substr(offset + sizeof header + header.file_bytes, header.text_bytes)};
  offset += size;
  return message;
}

}  // namespace

bool Send(int fd, const Message& message) {
  const FrameHeader header{message.kind, message.line,
                           static_cast<std::uint32_t>(message.file.size()),
                           static_cast<std::uint32_t>(message.text.size())};
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
  bytes += message.file + message.text;
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t put = write(fd, bytes.data() + done, bytes.size() - done);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return false;
    done += static_cast<std::size_t>(put);
  }
  return true;
}

std::vector<Message> MessageParser::Take() {
  std::vector<Message> messages;
  std::size_t offset = 0;
  while (auto message = Cut(pending_, offset)) messages.push_back(*std::move(message));
  pending_.erase(0, offset);
  return messages;
}

void PartForwarder::OnTestPartResult(const ::testing::TestPartResult& part) {
  Message message;
  switch (part.type()) {
    case ::testing::TestPartResult::kSuccess:
      return;
    case ::testing::TestPartResult::kSkip:
      message.kind = Message::Kind::kSkip;
      break;
    case ::testing::TestPartResult::kNonFatalFailure:
      message.kind = Message::Kind::kFailure;
      break;
    case ::testing::TestPartResult::kFatalFailure:
      message.kind = Message::Kind::kFatalFailure;
      break;
  }
  message.line = part.line_number();
  if (part.file_name() != nullptr) message.file = part.file_name();
  message.text = part.message();
  Send(fd_, message);
}

void Adopt(const Message& message) {
  const char* const file = message.file.empty() ? nullptr : message.file.c_str();
  switch (message.kind) {
    case Message::Kind::kSkip:
      GTEST_SKIP() << message.text;
    case Message::Kind::kFailure:
      ADD_FAILURE_AT(file, message.line) << message.text;
      return;
    case Message::Kind::kFatalFailure:
      return GTEST_FAIL_AT(file, message.line) << message.text;
    case Message::Kind::kExpectedKernelLog:
    case Message::Kind::kEnd:
      break;
  }
  throw std::logic_error("not a result of a test");
}

}  // namespace kfdcts::check
