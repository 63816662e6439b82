#include "harness/vgpu/director/commands.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>

#include "harness/vgpu/engines/controls.h"
#include "harness/vgpu/engines/counters.h"

namespace kfdcts::vgpu {
namespace {

using nlohmann::json;
using Verb = ControlCommand::Verb;

/// The one argument that a command takes.
enum class Argument { kNone, kEngine, kDoorbell, kCount, kIndex, kRange };

struct Row {
  std::string_view name;
  Verb verb;
  Argument argument;
};

constexpr std::array kControls = {
    Row{"hang-scheduler", Verb::kHangScheduler, Argument::kNone},
    Row{"unhang-scheduler", Verb::kUnhangScheduler, Argument::kNone},
    Row{"hang-queue", Verb::kHangQueue, Argument::kDoorbell},
    Row{"unhang-queue", Verb::kUnhangQueue, Argument::kDoorbell},
    Row{"hold-engine", Verb::kHoldEngine, Argument::kEngine},
    Row{"release-engine", Verb::kReleaseEngine, Argument::kEngine},
    Row{"fail-copies", Verb::kFailCopies, Argument::kCount},
    Row{"corrupt-copies", Verb::kCorruptCopies, Argument::kCount},
    Row{"drop-interrupts", Verb::kDropInterrupts, Argument::kCount},
    Row{"hold-interrupts", Verb::kHoldInterrupts, Argument::kNone},
    Row{"release-interrupts", Verb::kReleaseInterrupts, Argument::kNone},
    Row{"deliver-interrupt", Verb::kDeliverInterrupt, Argument::kIndex},
    Row{"hold-faults", Verb::kHoldFaults, Argument::kRange},
    Row{"release-faults", Verb::kReleaseFaults, Argument::kNone},
    Row{"hold-copies", Verb::kHoldCopies, Argument::kNone},
    Row{"release-copies", Verb::kReleaseCopies, Argument::kNone},
    Row{"release-all", Verb::kReleaseAll, Argument::kNone},
};

std::string Quote(std::string_view text) { return '"' + std::string(text) + '"'; }

void AllowKeys(const json& request, std::initializer_list<std::string_view> extra) {
  for (const auto& [key, value] : request.items()) {
    if (key != "do" && key != "id" && std::find(extra.begin(), extra.end(), key) == extra.end()) {
      throw std::invalid_argument("unexpected key " + Quote(key));
    }
  }
}

template <typename T = std::uint32_t>
T Number(const json& request, const char* key) {
  constexpr std::uint64_t kMax = std::numeric_limits<T>::max();
  const auto found = request.find(key);
  if (found == request.end() || !found->is_number_unsigned() ||
      found->get<std::uint64_t>() > kMax) {
    throw std::invalid_argument(Quote(key) + " must be a number from 0 to " + std::to_string(kMax));
  }
  return found->get<T>();
}

/// The same of a key that may be missing.
template <typename T>
void MaybeNumber(const json& request, const char* key, T& value) {
  if (request.contains(key)) value = Number<T>(request, key);
}

bool Flag(const json& request, const char* key) {
  const auto found = request.find(key);
  if (found == request.end()) return false;
  if (!found->is_boolean()) throw std::invalid_argument(Quote(key) + " must be true or false");
  return found->get<bool>();
}

std::string Text(const json& request, const char* key) {
  const auto found = request.find(key);
  if (found == request.end() || !found->is_string()) {
    throw std::invalid_argument(Quote(key) + " must be a string");
  }
  return found->get<std::string>();
}

ControlCommand ControlOf(const Row& row, const json& request) {
  ControlCommand command = {row.verb};
  switch (row.argument) {
    case Argument::kNone:
      AllowKeys(request, {});
      break;
    case Argument::kEngine:
      AllowKeys(request, {"engine"});
      command.engine = Text(request, "engine");
      break;
    case Argument::kDoorbell:
      AllowKeys(request, {"doorbell"});
      command.doorbell = Number(request, "doorbell");
      break;
    case Argument::kCount:
      AllowKeys(request, {"count"});
      MaybeNumber(request, "count", command.count);
      break;
    case Argument::kIndex:
      AllowKeys(request, {"index"});
      command.count = Number(request, "index");
      break;
    case Argument::kRange:
      AllowKeys(request, {"pasid", "first", "last"});
      MaybeNumber(request, "pasid", command.pasid);
      MaybeNumber(request, "first", command.first);
      MaybeNumber(request, "last", command.last);
      break;
  }
  return command;
}

json ToJson(const Counters& counters) {
  return {{"packets", counters.packets},
          {"copies", counters.copies},
          {"bytes-copied", counters.bytes_copied},
          {"fences", counters.fences},
          {"interrupts", counters.interrupts},
          {"interrupts-dropped", counters.interrupts_dropped},
          {"faults", counters.faults},
          {"retry-faults", counters.retry_faults},
          {"exceptions", counters.exceptions},
          {"doorbells", counters.doorbells},
          {"register-reads", counters.register_reads},
          {"register-writes", counters.register_writes},
          {"run-lists", counters.run_lists},
          {"unmaps", counters.unmaps},
          {"preemptions", counters.preemptions},
          {"mapped-processes", counters.mapped_processes},
          {"mapped-queues", counters.mapped_queues},
          {"running-queues", counters.running_queues}};
}

json ToJson(const QueueInfo& queue) {
  json described = {{"name", queue.name}, {"kind", queue.kind},   {"state", queue.state},
                    {"vmid", queue.vmid}, {"pasid", queue.pasid}, {"base", queue.base},
                    {"rptr", queue.rptr}, {"wptr", queue.wptr}};
  if (queue.doorbell != UINT32_MAX) {
    described["doorbell"] = queue.doorbell;
  }
  return described;
}

json ToJson(const Finding& finding) {
  return {{"kind", NameOf(finding.kind)}, {"count", finding.count},     {"vmid", finding.vmid},
          {"pasid", finding.pasid},       {"address", finding.address}, {"engine", finding.engine},
          {"detail", finding.detail}};
}

json ToJson(const Device::Complaints& complaints) {
  json findings = json::array();
  for (const Finding& finding : complaints.findings) findings.push_back(ToJson(finding));
  return {{"findings", std::move(findings)}, {"beyond", complaints.beyond}};
}

json ToJson(const std::vector<InterruptGate::Held>& held) {
  json list = json::array();
  for (const auto& [entry, is_fault, is_retry, address] : held) {
    json described = {{"client", entry.client}, {"source", entry.source}, {"ring", entry.ring_id},
                      {"vmid", entry.vmid},     {"pasid", entry.pasid},   {"data", entry.data}};
    if (is_fault) {
      described["address"] = address;
      described["retry"] = is_retry;
    }
    list.push_back(std::move(described));
  }
  return list;
}

}  // namespace

json Director::Execute(const json& request) {
  if (!request.is_object()) {
    throw std::invalid_argument("not an object");
  }
  if (request.contains("id") && request["id"].is_structured()) {
    throw std::invalid_argument("\"id\" must be a number or a string");
  }
  const std::string name = Text(request, "do");
  for (const Row& row : kControls) {
    if (row.name == name) {
      const std::string error = device_.Control(ControlOf(row, request));
      if (!error.empty()) {
        throw std::invalid_argument(error);
      }
      return json::object();
    }
  }
  if (name == "complaints") {
    AllowKeys(request, {"clear", "release"});
    if (Flag(request, "release")) device_.Control({.verb = Verb::kReleaseAll});
    return ToJson(device_.ListComplaints(Flag(request, "clear")));
  }
  AllowKeys(request, {});
  if (name == "held") {
    const Device::HeldInterrupts held = device_.Held();
    return {{"interrupts", ToJson(held.interrupts)}, {"faults", ToJson(held.faults)}};
  }
  if (name == "ping") {
    return json::object();
  }
  if (name == "counters") {
    return {{"counters", ToJson(device_.Snapshot())}};
  }
  if (name == "queues") {
    json queues = json::array();
    for (const QueueInfo& queue : device_.Queues()) {
      queues.push_back(ToJson(queue));
    }
    return {{"queues", std::move(queues)}};
  }
  if (name == "report") {
    std::ostringstream text;
    device_.Report(text);
    return {{"report", text.str()}};
  }
  throw std::invalid_argument("unknown command " + Quote(name));
}

std::string Director::Answer(std::string_view line) {
  json answer;
  json request;
  try {
    request = json::parse(line);
    answer = Execute(request);
    answer["ok"] = true;
  } catch (const std::exception& problem) {  // of the JSON library or of Execute
    answer = {{"ok", false}, {"error", problem.what()}};
  }
  if (request.is_object() && request.contains("id") && request["id"].is_primitive()) {
    answer["id"] = request["id"];
  }
  // What came from the client need not be valid UTF-8.
  return answer.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace kfdcts::vgpu
