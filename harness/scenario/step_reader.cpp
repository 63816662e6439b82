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

constexpr std::size_t kMostPages = 1U << 20U;

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

Map StepReader::ReadMap(const StrictMapping& fields) {
  Map map;
  map.name = fields.Word("name");
  map.pages = fields.Number("pages", 1, kMostPages);
  map.kind = ReadWord(fields, "kind", kMapKinds, MapKind::kAnonymous);
  if (HasContents(fields)) map.contents = ReadContents(fields);
  AddMapping(fields, map.name, map.pages);
  return map;
}

Mremap StepReader::ReadMremap(const StrictMapping& fields) {
  Mremap move{ReadPages(fields), fields.Word("name"), 0};
  move.pages = fields.Has("pages") ? fields.Number("pages", 1, kMostPages) : move.at.count;
  AddMapping(fields, move.name, move.pages);
  return move;
}

Expect StepReader::ReadExpect(const StrictMapping& fields) {
  Expect expect;
  expect.at = ReadPages(fields);
  constexpr Word<bool> kAsks[] = {{"whole", false}, {"pages", true}};
  expect.each_page = ReadWord(fields, "ask", kAsks, false);
  if (fields.Has("preferred")) expect.preferred = ReadPlace(fields, "preferred");
  if (fields.Has("prefetch")) expect.prefetch = ReadPlace(fields, "prefetch");
  if (fields.Has("flags")) expect.flags = ReadFlags(fields, "flags");
  if (fields.Has("any-flags")) expect.any_flags = ReadFlags(fields, "any-flags");
  if (fields.Has("granularity")) {
    expect.granularity = static_cast<std::uint32_t>(fields.Number("granularity", 0, 63));
  }
  if (!fields.Has("access")) return expect;
  constexpr Word<Attribute::Kind> kAnswers[] = {{"access", Attribute::Kind::kAccess},
                                                {"in-place", Attribute::Kind::kInPlace},
                                                {"none", Attribute::Kind::kNoAccess}};
  const auto access = fields.Child("access", {"gpu0", "gpu1"});
  for (std::size_t gpu = 0; gpu < 2; ++gpu) {
    const std::string name = "gpu" + std::to_string(gpu);
    if (!access.Has(name)) continue;
    if (gpu >= gpu_count_) throw access.Error(name, "the scenario has no such GPU");
    expect.access[gpu] = ReadWord(access, name, kAnswers);
  }
  return expect;
}

GpuAtomic StepReader::ReadAtomic(const StrictMapping& fields) {
  GpuAtomic atomic;
  atomic.at = ReadPages(fields);
  atomic.operation = ReadWord(fields, "operation", kAtomics);
  atomic.operand = fields.Number("operand", 0, ~std::uint64_t{0});
  if (fields.Has("compare")) atomic.compare = fields.Number("compare", 0, ~std::uint64_t{0});
  atomic.gpu = ReadGpu(fields);
  atomic.engine = ReadWord(fields, "engine", kEngines, EngineKind::kSdma);
  return atomic;
}

ExpectFault StepReader::ReadFault(const StrictMapping& fields) {
  constexpr Word<bool> kAccesses[] = {{"read", false}, {"write", true}};
  constexpr Word<bool> kReasons[] = {{"not-present", false}, {"read-only", true}};
  ExpectFault fault;
  fault.at = ReadPages(fields);
  if (fault.at.count != 1) throw fields.Error("at", "one page was expected");
  fault.write = ReadWord(fields, "access", kAccesses);
  fault.read_only = ReadWord(fields, "reason", kReasons);
  fault.gpu = ReadGpu(fields);
  fault.engine = ReadWord(fields, "engine", kEngines, EngineKind::kSdma);
  return fault;
}

ExpectResidency StepReader::ReadResidency(const StrictMapping& fields) {
  ExpectResidency residency{ReadPages(fields), fields.Word("is")};
  constexpr Word<char> kAll[] = {{"vram", 'v'}, {"system", 'm'}, {"untouched", '.'}};
  if (const auto all = FindWord(kAll, residency.pages)) {
    residency.pages.assign(residency.at.count, *all);
  }
  if (residency.pages.find_first_not_of("mv.") != std::string::npos) {
    throw fields.Error("is", "vram, system, untouched or letters m, v and . were expected");
  }
  if (residency.pages.size() != residency.at.count) {
    throw fields.Error("is", "not a letter for each page");
  }
  return residency;
}

ExpectEvents StepReader::ReadEvents(const StrictMapping& fields) {
  ExpectEvents expect{ReadGpu(fields), {}};
  for (const auto& event : fields.Elements("events", {"kind", "at", "from", "to", "trigger"})) {
    expect.events.push_back(ReadEvent(event));
  }
  if (expect.events.empty()) throw fields.Error("events", "no event in it");
  return expect;
}

Event StepReader::ReadEvent(const StrictMapping& fields) {
  Event event;
  event.kind = ReadWord(fields, "kind", kEvents);
  if (fields.Has("at")) event.at = ReadPages(fields);
  if (fields.Has("from")) event.from = ReadPlace(fields, "from");
  if (fields.Has("to")) event.to = ReadPlace(fields, "to");
  if (!fields.Has("trigger")) return event;
  if (event.kind == EventKind::kMigrateStart || event.kind == EventKind::kMigrateEnd) {
    event.trigger = ReadWord(fields, "trigger", kMigrateTriggers);
  } else if (event.kind == EventKind::kQueueEviction) {
    event.trigger = ReadWord(fields, "trigger", kEvictionTriggers);
  } else if (event.kind == EventKind::kUnmapFromGpu) {
    event.trigger = ReadWord(fields, "trigger", kUnmapTriggers);
  } else {
    throw fields.Error("trigger", "such an event has none");
  }
  return event;
}

Together StepReader::ReadTogether(const StrictMapping& fields) {
  Together together;
  const bool was = std::exchange(nested_, true);
  for (const auto& thread : fields.Elements("threads", {"steps"})) {
    together.threads.push_back(ReadList(thread, "steps"));
  }
  nested_ = was;
  if (together.threads.empty()) throw fields.Error("threads", "no thread in it");
  if (fields.Has("rounds")) together.rounds = fields.Number("rounds", 1, 1000000);
  return together;
}

Pages StepReader::ReadPages(const StrictMapping& fields, std::string_view key) const {
  const std::string text = fields.Word(key);
  auto pages = ParsePages(text);
  if (!pages) throw fields.Error(key, "\"" + text + "\" is not NAME, NAME PAGE or NAME FIRST-LAST");
  const auto mapping = mappings_.find(pages->mapping);
  if (mapping == mappings_.end()) {
    throw fields.Error(key, "no step before maps \"" + pages->mapping + "\"");
  }
  if (pages->count == 0) pages->count = mapping->second;
  if (pages->first + pages->count > mapping->second) {
    throw fields.Error(
        key, "\"" + pages->mapping + "\" has only pages 0-" + std::to_string(mapping->second - 1));
  }
  return *pages;
}

Place StepReader::ReadPlace(const StrictMapping& fields, std::string_view key) const {
  const std::string text = fields.Word(key);
  const auto place = ParsePlace(text);
  if (!place) throw fields.Error(key, "\"" + text + "\" is none of cpu, none, gpu0, gpu1");
  if (place->kind == Place::Kind::kGpu && place->gpu >= gpu_count_) {
    throw fields.Error(key, "the scenario has no " + text);
  }
  return *place;
}

std::size_t StepReader::ReadGpu(const StrictMapping& fields) const {
  if (!fields.Has("gpu")) return 0;
  const Place place = ReadPlace(fields, "gpu");
  if (place.kind != Place::Kind::kGpu) throw fields.Error("gpu", "gpu0 or gpu1 was expected");
  return place.gpu;
}

std::vector<Attribute> StepReader::ReadAttributes(const StrictMapping& fields,
                                                  std::string_view key) const {
  std::vector<Attribute> attributes;
  for (const auto& text : fields.Words(key)) {
    const auto attribute = ParseAttribute(text);
    if (!attribute) throw fields.Error(key, "\"" + text + "\" is no attribute");
    if (attribute->place.kind == Place::Kind::kGpu && attribute->place.gpu >= gpu_count_) {
      throw fields.Error(key, "the scenario has no " + Text(attribute->place));
    }
    attributes.push_back(*attribute);
  }
  return attributes;
}

std::string StepReader::NewName(const StrictMapping& fields, std::set<std::string>& names) const {
  const std::string name = fields.Word("name");
  if (!IsName(name)) throw fields.Error("name", "\"" + name + "\" is no name");
  if (!names.insert(name).second) throw fields.Error("name", "\"" + name + "\" is there already");
  return name;
}

void StepReader::AddMapping(const StrictMapping& fields, const std::string& name,
                            std::size_t pages) {
  if (!IsName(name)) throw fields.Error("name", "\"" + name + "\" is no name");
  if (!mappings_.emplace(name, pages).second) {
    throw fields.Error("name", "\"" + name + "\" is there already");
  }
}

}  // namespace kfdcts::harness::scenario
