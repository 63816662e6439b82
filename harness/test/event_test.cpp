#include "harness/run/event.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/test/temporary_folder.h"

namespace kfdcts::harness {
namespace {

using testing::StartsWith;
using testing_support::MessageOf;

Event Full() {
  Event event{.kind = Event::Kind::kDied, .test = "Suite.Test/gpu0", .message = "two\nlines"};
  event.file = "a.cpp";
  event.line = 3;
  event.fatal = true;
  event.timed_out = true;
  event.key = "key";
  event.value = "value";
  event.milliseconds = 1234;
  event.output = "printed";
  event.output_offset = 77;
  event.surroundings = {"7.3.4", "1.18", {"gfx900"}};
  return event;
}

TEST(Event, IsOneLineAndComesBackWhole) {
  const std::string line = ToLine(Full());
  EXPECT_EQ(line.size() - 1, line.find('\n'));
  const Event back = EventFromLine(line);
  EXPECT_EQ(line, ToLine(back));
  EXPECT_EQ(Event::Kind::kDied, back.kind);
  EXPECT_EQ("two\nlines", back.message);
  EXPECT_EQ(77, back.output_offset);
  EXPECT_EQ("gfx900", back.surroundings.gpus.at(0));
}

TEST(Event, BrokenUtf8DoesNotBreakTheStream) {
  Event event{.kind = Event::Kind::kFailure, .message = "a\xFF"};
  EXPECT_EQ("a\xEF\xBF\xBD", EventFromLine(ToLine(event)).message);
}

TEST(EventReader, ATruncatedLastLineIsKeptBack) {
  EventReader reader;
  const std::string line = ToLine(Full());
  EXPECT_EQ(1u, reader.Feed(line + line.substr(0, 20)).size());
  EXPECT_EQ(20u, reader.pending().size());
  EXPECT_EQ(1u, reader.Feed(line.substr(20)).size());
  EXPECT_EQ(0u, reader.pending().size());
}

TEST(EventReader, ByteByByteGivesTheSame) {
  EventReader reader;
  const std::string stream = ToLine(Full()) + ToLine({.kind = Event::Kind::kPlanDone});
  std::vector<Event> events;
  for (const char byte : stream) {
    for (auto& event : reader.Feed(std::string_view(&byte, 1))) events.push_back(event);
  }
  ASSERT_EQ(2u, events.size());
  EXPECT_EQ(Event::Kind::kPlanDone, events[1].kind);
}

TEST(EventReader, AMalformedLineIsNamedByItsNumber) {
  EventReader reader;
  reader.Feed(ToLine({.kind = Event::Kind::kPlanDone}));
  EXPECT_THAT(MessageOf<std::runtime_error>([&] { reader.Feed("{\"event\": \n"); }),
              StartsWith("event stream, line 2: "));
}

TEST(EventReader, AnUnknownEventIsNoEvent) {
  EventReader reader;
  EXPECT_EQ("event stream, line 1: unknown event \"hello\"",
            MessageOf<std::runtime_error>([&] { reader.Feed("{\"event\":\"hello\"}\n"); }));
}

}  // namespace
}  // namespace kfdcts::harness
