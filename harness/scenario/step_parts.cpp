// The parts of steps that take more than a line to read.
#include <utility>

#include "harness/scenario/field_reader.h"
#include "harness/scenario/step_reader.h"
#include "harness/scenario/words.h"

namespace kfdcts::harness::scenario {

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
