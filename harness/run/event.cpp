#include "harness/run/event.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

namespace kfdcts::harness {
namespace {

using nlohmann::json;

constexpr std::array<std::pair<Event::Kind, const char*>, 9> kNames = {{
    {Event::Kind::kReady, "ready"},
    {Event::Kind::kStarted, "started"},
    {Event::Kind::kFailure, "failure"},
    {Event::Kind::kSkipped, "skipped"},
    {Event::Kind::kProperty, "property"},
    {Event::Kind::kEnded, "ended"},
    {Event::Kind::kDied, "died"},
    {Event::Kind::kStuck, "stuck"},
    {Event::Kind::kPlanDone, "plan-done"},
}};

const char* NameOf(Event::Kind kind) {
  const auto* found = std::find_if(kNames.begin(), kNames.end(),
                                   [kind](const auto& entry) { return entry.first == kind; });
  return found->second;
}

Event::Kind KindOf(const std::string& name) {
  const auto* found = std::find_if(kNames.begin(), kNames.end(),
                                   [&](const auto& entry) { return name == entry.second; });
  if (found == kNames.end()) throw std::runtime_error("unknown event \"" + name + "\"");
  return found->first;
}

json ToJson(const Event& event) {
  json object = {{"event", NameOf(event.kind)}};
  const auto set = [&](const char* key, const auto& value) {
    if (value != std::decay_t<decltype(value)>{}) object[key] = value;
  };
  set("test", event.test);
  set("message", event.message);
  set("file", event.file);
  set("line", event.line);
  set("fatal", event.fatal);
  set("timed_out", event.timed_out);
  set("key", event.key);
  set("value", event.value);
  set("ms", event.milliseconds);
  set("output", event.output);
  set("output_offset", event.output_offset);
  set("kernel_release", event.surroundings.kernel_release);
  set("kfd_version", event.surroundings.kfd_version);
  set("gpus", event.surroundings.gpus);
  return object;
}

Event FromJson(const json& object) {
  Event event;
  event.kind = KindOf(object.at("event").get<std::string>());
  const auto get = [&](const char* key, auto& value) {
    if (object.contains(key)) object.at(key).get_to(value);
  };
  get("test", event.test);
  get("message", event.message);
  get("file", event.file);
  get("line", event.line);
  get("fatal", event.fatal);
  get("timed_out", event.timed_out);
  get("key", event.key);
  get("value", event.value);
  get("ms", event.milliseconds);
  get("output", event.output);
  get("output_offset", event.output_offset);
  get("kernel_release", event.surroundings.kernel_release);
  get("kfd_version", event.surroundings.kfd_version);
  get("gpus", event.surroundings.gpus);
  return event;
}

}  // namespace

std::string ToLine(const Event& event) {
  return ToJson(event).dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

std::string PlainMessage(std::string_view message) {
  constexpr std::string_view kWord = "Failed\n";
  if (message.starts_with(kWord)) message.remove_prefix(kWord.size());
  return std::string(message);
}

Event EventFromLine(std::string_view line) {
  try {
    return FromJson(json::parse(line));
  } catch (const json::exception& error) {
    throw std::runtime_error(error.what());
  }
}

std::vector<Event> EventReader::Feed(std::string_view bytes) {
  pending_ += bytes;
  std::vector<Event> events;
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = pending_.find('\n', begin)) != std::string::npos;
       begin = end + 1) {
    ++lines_;
    try {
      events.push_back(EventFromLine(std::string_view(pending_).substr(begin, end - begin)));
    } catch (const std::runtime_error& error) {
      throw std::runtime_error("event stream, line " + std::to_string(lines_) + ": " +
                               error.what());
    }
  }
  pending_.erase(0, begin);
  return events;
}

}  // namespace kfdcts::harness
