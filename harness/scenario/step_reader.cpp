#include "harness/scenario/step_reader.h"

#include <algorithm>
#include <utility>

#include "harness/scenario/field_reader.h"
#include "harness/scenario/words.h"

namespace kfdcts::harness::scenario {
namespace {

/// Every kind of step.
const std::initializer_list<std::string_view> kStepKinds = {
    "map",           "map-again",    "set",           "prefetch",         "get",
    "expect",        "cpu-write",    "cpu-read",      "gpu-write",        "gpu-read",
    "gpu-atomic",    "expect-fault", "peek",          "syscall-read",     "syscall-write",
    "munmap",        "mremap",       "madvise",       "mprotect",         "mlock",
    "munlock",       "fork",         "child",         "end-child",        "xnack",
    "end-work",      "watch-events", "expect-events", "expect-no-events", "expect-residency",
    "expect-ranges", "together",     "start",         "finish",           "hold",
    "release"};

bool IsOneOf(std::string_view word, std::initializer_list<std::string_view> list) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

}  // namespace

std::vector<Step> StepReader::ReadList(const StrictMapping& parent, std::string_view key) {
  std::vector<Step> steps;
  for (const auto& step : parent.Elements(key, kStepKinds)) steps.push_back(Read(step));
  if (steps.empty()) throw parent.Error(key, "no step in it");
  return steps;
}

Step StepReader::Read(const StrictMapping& step) {
  std::string_view kind;
  for (const auto& one : kStepKinds) {
    if (!step.Has(one)) continue;
    if (!kind.empty()) throw step.Error(one, "a step of its own, with a dash, was expected");
    kind = one;
  }
  if (kind.empty()) throw step.Error("", "an empty step");
  if (in_child_ && !IsOneOf(kind, {"cpu-write", "cpu-read", "munmap", "mprotect", "madvise"})) {
    throw step.Error(kind, "no step for a child process");
  }
  if (nested_ && IsOneOf(kind, {"fork", "child", "end-child", "together", "start", "finish", "map",
                                "mremap", "xnack", "end-work", "watch-events"})) {
    throw step.Error(kind, "no step for a thread");
  }
  return {step.Line(), ReadAction(kind, step)};
}

Action StepReader::ReadAction(std::string_view kind, const StrictMapping& step) {
  if (IsOneOf(kind, {"map", "map-again", "munmap", "mremap", "madvise", "mprotect", "mlock",
                     "munlock"})) {
    return ReadMemoryStep(kind, step);
  }
  if (IsOneOf(kind, {"set", "prefetch", "get", "expect"})) return ReadAttributeStep(kind, step);
  if (IsOneOf(kind, {"cpu-write", "cpu-read", "peek", "syscall-read", "syscall-write"})) {
    return ReadAccessStep(kind, step);
  }
  if (IsOneOf(kind, {"gpu-write", "gpu-read", "gpu-atomic", "expect-fault", "hold", "release"})) {
    return ReadGpuStep(kind, step);
  }
  if (kind == "watch-events" || kind.starts_with("expect-")) return ReadEventStep(kind, step);
  return ReadFlowStep(kind, step);
}

Action StepReader::ReadMemoryStep(std::string_view kind, const StrictMapping& step) {
  if (kind == "map") {
    return ReadMap(step.Child(kind, {"name", "pages", "kind", "value", "word", "pattern"}));
  }
  if (kind == "mremap") return ReadMremap(step.Child(kind, {"at", "name", "pages"}));
  if (kind == "madvise") {
    const auto fields = step.Child(kind, {"at", "advice"});
    return Madvise{ReadPages(fields), ReadWord(fields, "advice", kAdvices)};
  }
  if (kind == "mprotect") {
    const auto fields = step.Child(kind, {"at", "protection"});
    return Mprotect{ReadPages(fields), ReadWord(fields, "protection", kProtections)};
  }
  const Pages at = ReadPages(step.Child(kind, {"at"}));
  if (kind == "map-again") return MapAgain{at};
  if (kind == "munmap") return Munmap{at};
  return Mlock{at, kind == "munlock"};
}

Action StepReader::ReadAttributeStep(std::string_view kind, const StrictMapping& step) {
  if (kind == "set") {
    const auto fields = step.Child(kind, {"at", "attributes", "status"});
    return SetAttributes{ReadPages(fields), ReadAttributes(fields, "attributes"),
                         ReadWord(fields, "status", kStatuses, Status::kSuccess)};
  }
  if (kind == "prefetch") {
    const auto fields = step.Child(kind, {"at", "to", "status"});
    const Attribute attribute{Attribute::Kind::kPrefetch, ReadPlace(fields, "to"), 0};
    return SetAttributes{
        ReadPages(fields), {attribute}, ReadWord(fields, "status", kStatuses, Status::kSuccess)};
  }
  if (kind == "expect") {
    return ReadExpect(step.Child(kind, {"at", "ask", "preferred", "prefetch", "flags", "any-flags",
                                        "granularity", "access"}));
  }
  const auto fields = step.Child(kind, {"at", "attributes", "answers", "status"});
  GetAttributes get{ReadPages(fields),
                    ReadAttributes(fields, "attributes"),
                    {},
                    ReadWord(fields, "status", kStatuses, Status::kSuccess)};
  if (fields.Has("answers")) get.answers = ReadAttributes(fields, "answers");
  if (get.answers && get.answers->size() != get.attributes.size()) {
    throw fields.Error("answers", "not one for each attribute");
  }
  return get;
}

Action StepReader::ReadAccessStep(std::string_view kind, const StrictMapping& step) {
  if (kind == "peek") {
    const auto fields = step.Child(kind, {"at", "by", "value", "word", "pattern"});
    return Peek{ReadPages(fields), ReadContents(fields), ReadWord(fields, "by", kPeekers)};
  }
  const auto fields = step.Child(kind, {"at", "value", "word", "pattern"});
  const Pages at = ReadPages(fields);
  const Contents contents = ReadContents(fields);
  if (kind == "cpu-write") return CpuWrite{at, contents};
  if (kind == "cpu-read") return CpuRead{at, contents};
  if (contents.kind == Contents::Kind::kWord) {
    throw fields.Error("word", "a system call transfers whole pages");
  }
  if (kind == "syscall-read") return SyscallRead{at, contents};
  return SyscallWrite{at, contents};
}

Action StepReader::ReadGpuStep(std::string_view kind, const StrictMapping& step) {
  if (kind == "gpu-atomic") {
    return ReadAtomic(step.Child(kind, {"at", "gpu", "engine", "operation", "operand", "compare"}));
  }
  if (kind == "expect-fault") {
    return ReadFault(step.Child(kind, {"at", "gpu", "engine", "access", "reason"}));
  }
  if (kind == "hold" || kind == "release") {
    const auto fields = step.Child(kind, {"gpu", "what"});
    const std::string what = fields.Word("what");
    if (!IsOneOf(what, {"interrupts", "cp", "sdma0", "sdma1"})) {
      throw fields.Error("what", "\"" + what + "\" is none of interrupts, cp, sdma0, sdma1");
    }
    if (kind == "hold") return Hold{ReadGpu(fields), what};
    return Release{ReadGpu(fields), what};
  }
  const auto fields = step.Child(kind, {"at", "gpu", "engine", "value", "word", "pattern"});
  const Pages at = ReadPages(fields);
  const Contents contents = ReadContents(fields);
  const EngineKind engine = ReadWord(fields, "engine", kEngines, EngineKind::kSdma);
  if (kind == "gpu-write") return GpuWrite{at, contents, ReadGpu(fields), engine};
  return GpuRead{at, contents, ReadGpu(fields), engine};
}

Action StepReader::ReadEventStep(std::string_view kind, const StrictMapping& step) {
  if (kind == "expect-events") return ReadEvents(step.Child(kind, {"gpu", "events"}));
  if (kind == "expect-residency") return ReadResidency(step.Child(kind, {"at", "is"}));
  if (kind == "expect-ranges") {
    return ExpectRanges{step.Child(kind, {"count"}).Number("count", 0, kMostPages)};
  }
  const auto fields = step.Child(kind, {"gpu", "kinds"});
  std::vector<EventKind> kinds = ReadWords(fields, "kinds", kEvents);
  if (kinds.empty()) throw fields.Error("kinds", "no event in it");
  if (kind == "watch-events") return WatchEvents{ReadGpu(fields), std::move(kinds)};
  return ExpectNoEvents{ReadGpu(fields), std::move(kinds)};
}

Action StepReader::ReadFlowStep(std::string_view kind, const StrictMapping& step) {
  if (kind == "together") return ReadTogether(step.Child(kind, {"threads", "rounds"}));
  if (kind == "xnack") {
    const auto fields = step.Child(kind, {"mode", "status"});
    const Xnack mode = ReadWord(fields, "mode", kXnackModes);
    if (mode == Xnack::kAny) throw fields.Error("mode", "enabled or disabled was expected");
    return SetXnack{mode == Xnack::kOn, ReadWord(fields, "status", kStatuses, Status::kSuccess)};
  }
  if (kind == "end-work") {
    step.Child(kind, {});
    return EndWork{};
  }
  if (kind == "fork") return Fork{NewName(step.Child(kind, {"name"}), children_)};
  if (kind == "child" || kind == "start") {
    const auto fields = step.Child(kind, {"name", "steps"});
    if (kind == "start") {
      const std::string name = NewName(fields, started_);
      const bool was = std::exchange(nested_, true);
      Start start{name, ReadList(fields, "steps")};
      nested_ = was;
      return start;
    }
    const std::string name = KnownName(fields, children_);
    in_child_ = true;
    Child child{name, ReadList(fields, "steps")};
    in_child_ = false;
    return child;
  }
  const auto fields = step.Child(kind, {"name"});
  auto& names = kind == "finish" ? started_ : children_;
  const std::string name = KnownName(fields, names);
  names.erase(name);
  if (kind == "finish") return Finish{name};
  return EndChild{name};
}

}  // namespace kfdcts::harness::scenario
