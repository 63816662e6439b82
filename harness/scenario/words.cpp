#include "harness/scenario/words.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "harness/uapi/kfd_compat.h"

namespace kfdcts::harness::scenario {

const Word<Scope> kScopes[3] = {
    {"each", Scope::kEachGpu}, {"first", Scope::kFirstGpu}, {"pair", Scope::kEachGpuPair}};
const Word<Xnack> kXnackModes[3] = {
    {"any", Xnack::kAny}, {"enabled", Xnack::kOn}, {"disabled", Xnack::kOff}};
const Word<Process> kProcesses[2] = {{"shared", Process::kShared}, {"fresh", Process::kFresh}};
const Word<MapKind> kMapKinds[5] = {{"anonymous", MapKind::kAnonymous},
                                    {"shared", MapKind::kShared},
                                    {"file-private", MapKind::kFilePrivate},
                                    {"file-shared", MapKind::kFileShared},
                                    {"huge", MapKind::kHuge}};
const Word<EngineKind> kEngines[2] = {{"sdma", EngineKind::kSdma}, {"pm4", EngineKind::kPm4}};
const Word<AtomicKind> kAtomics[6] = {{"add32", AtomicKind::kAdd32},
                                      {"add64", AtomicKind::kAdd64},
                                      {"swap32", AtomicKind::kSwap32},
                                      {"swap64", AtomicKind::kSwap64},
                                      {"compare-swap32", AtomicKind::kCompareSwap32},
                                      {"compare-swap64", AtomicKind::kCompareSwap64}};
const Word<Status> kStatuses[6] = {{"success", Status::kSuccess},
                                   {"error", Status::kError},
                                   {"invalid-parameter", Status::kInvalidParameter},
                                   {"invalid-node", Status::kInvalidNode},
                                   {"no-memory", Status::kNoMemory},
                                   {"not-supported", Status::kNotSupported}};
const Word<Attribute::Kind> kAttributes[8] = {
    {"access", Attribute::Kind::kAccess},          {"in-place", Attribute::Kind::kInPlace},
    {"no-access", Attribute::Kind::kNoAccess},     {"preferred", Attribute::Kind::kPreferred},
    {"prefetch", Attribute::Kind::kPrefetch},      {"set-flags", Attribute::Kind::kSetFlags},
    {"clear-flags", Attribute::Kind::kClearFlags}, {"granularity", Attribute::Kind::kGranularity}};
const Word<Contents::Kind> kContents[3] = {{"value", Contents::Kind::kValue},
                                           {"word", Contents::Kind::kWord},
                                           {"pattern", Contents::Kind::kPattern}};
const Word<std::uint32_t> kFlags[8] = {
    {"host-access", 0x1}, {"coherent", 0x2},     {"hive-local", 0x4},     {"gpu-ro", 0x8},
    {"gpu-exec", 0x10},   {"read-mostly", 0x20}, {"always-mapped", 0x40}, {"ext-coherent", 0x80}};
const Word<Peek::By> kPeekers[3] = {{"ptrace", Peek::By::kPtrace},
                                    {"process-vm-readv", Peek::By::kProcessVmReadv},
                                    {"proc-mem", Peek::By::kProcMem}};
const Word<int> kAdvices[10] = {{"dontneed", MADV_DONTNEED},   {"free", MADV_FREE},
                                {"hugepage", MADV_HUGEPAGE},   {"nohugepage", MADV_NOHUGEPAGE},
                                {"dontfork", MADV_DONTFORK},   {"dofork", MADV_DOFORK},
                                {"cold", MADV_COLD},           {"pageout", MADV_PAGEOUT},
                                {"mergeable", MADV_MERGEABLE}, {"willneed", MADV_WILLNEED}};
const Word<int> kProtections[3] = {
    {"none", PROT_NONE}, {"read", PROT_READ}, {"read-write", PROT_READ | PROT_WRITE}};
const Word<EventKind> kEvents[7] = {
    {"migrate-start", EventKind::kMigrateStart},      {"migrate-end", EventKind::kMigrateEnd},
    {"page-fault-start", EventKind::kPageFaultStart}, {"page-fault-end", EventKind::kPageFaultEnd},
    {"queue-eviction", EventKind::kQueueEviction},    {"queue-restore", EventKind::kQueueRestore},
    {"unmap-from-gpu", EventKind::kUnmapFromGpu}};
const Word<std::uint32_t> kMigrateTriggers[4] = {
    {"prefetch", KFD_MIGRATE_TRIGGER_PREFETCH},
    {"gpu-fault", KFD_MIGRATE_TRIGGER_PAGEFAULT_GPU},
    {"cpu-fault", KFD_MIGRATE_TRIGGER_PAGEFAULT_CPU},
    {"ttm-eviction", KFD_MIGRATE_TRIGGER_TTM_EVICTION}};
const Word<std::uint32_t> kEvictionTriggers[4] = {{"svm", KFD_QUEUE_EVICTION_TRIGGER_SVM},
                                                  {"userptr", KFD_QUEUE_EVICTION_TRIGGER_USERPTR},
                                                  {"ttm", KFD_QUEUE_EVICTION_TRIGGER_TTM},
                                                  {"suspend", KFD_QUEUE_EVICTION_TRIGGER_SUSPEND}};
const Word<std::uint32_t> kUnmapTriggers[3] = {
    {"notifier", KFD_SVM_UNMAP_TRIGGER_MMU_NOTIFY},
    {"notifier-migrate", KFD_SVM_UNMAP_TRIGGER_MMU_NOTIFY_MIGRATE},
    {"cpu-unmap", KFD_SVM_UNMAP_TRIGGER_UNMAP_FROM_CPU}};

namespace {

constexpr std::string_view kNoNames[] = {"yes",   "no",   "on", "off", "true",
                                         "false", "null", "n",  "y"};

bool TakesPlace(Attribute::Kind kind) {
  return kind != Attribute::Kind::kSetFlags && kind != Attribute::Kind::kClearFlags &&
         kind != Attribute::Kind::kGranularity;
}

template <typename Number>
std::optional<Number> ParseNumber(std::string_view text) {
  const bool hex = text.starts_with("0x");
  if (hex) text.remove_prefix(2);
  Number number = 0;
  const auto [stop, error] =
      std::from_chars(text.data(), text.data() + text.size(), number, hex ? 16 : 10);
  if (error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

std::string Text(const Pages& pages) {
  std::string text = pages.mapping + " " + std::to_string(pages.first);
  if (pages.count != 1) text += "-" + std::to_string(pages.first + pages.count - 1);
  return text;
}

std::string Text(const Place& place) {
  if (place.kind == Place::Kind::kCpu) return "cpu";
  return place.kind == Place::Kind::kNone ? "none" : "gpu" + std::to_string(place.gpu);
}

std::string Text(const Attribute& attribute) {
  const std::string word = WordOf(kAttributes, attribute.kind) + " ";
  if (TakesPlace(attribute.kind)) return word + Text(attribute.place);
  if (attribute.kind == Attribute::Kind::kGranularity)
    return word + std::to_string(attribute.value);
  return word + FlagsText(attribute.value);
}

std::string FlagsText(std::uint32_t flags) {
  std::string text;
  for (const auto& flag : kFlags) {
    if ((flags & flag.value) == 0) continue;
    text += (text.empty() ? "" : "+") + std::string(flag.word);
    flags &= ~flag.value;
  }
  if (flags != 0) {
    std::array<char, 8> digits{};
    const auto end = std::to_chars(digits.begin(), digits.end(), flags, 16).ptr;
    text += (text.empty() ? "0x" : "+0x") + std::string(digits.begin(), end);
  }
  return text.empty() ? "none" : text;
}

std::optional<Place> ParsePlace(std::string_view text) {
  if (text == "cpu") return Place{Place::Kind::kCpu, 0};
  if (text == "none") return Place{Place::Kind::kNone, 0};
  if (text == "gpu0") return Place{Place::Kind::kGpu, 0};
  if (text == "gpu1") return Place{Place::Kind::kGpu, 1};
  return std::nullopt;
}

std::optional<std::uint32_t> ParseFlags(std::string_view text) {
  if (text == "none") return 0;
  std::uint32_t flags = 0;
  for (;;) {
    const std::size_t plus = text.find('+');
    const std::string_view word = text.substr(0, plus);
    const auto flag =
        word.starts_with("0x") ? ParseNumber<std::uint32_t>(word) : FindWord(kFlags, word);
    if (!flag) return std::nullopt;
    flags |= *flag;
    if (plus == std::string_view::npos) return flags;
    text.remove_prefix(plus + 1);
  }
}

std::optional<Attribute> ParseAttribute(std::string_view text) {
  const std::size_t space = text.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  const auto kind = FindWord(kAttributes, text.substr(0, space));
  if (!kind) return std::nullopt;
  const std::string_view rest = text.substr(space + 1);
  Attribute attribute{*kind, {}, 0};
  if (TakesPlace(*kind)) {
    const auto place = ParsePlace(rest);
    if (!place) return std::nullopt;
    attribute.place = *place;
    return attribute;
  }
  const auto value =
      *kind == Attribute::Kind::kGranularity ? ParseNumber<std::uint32_t>(rest) : ParseFlags(rest);
  if (!value) return std::nullopt;
  attribute.value = *value;
  return attribute;
}

std::optional<Pages> ParsePages(std::string_view text) {
  const std::size_t space = text.find(' ');
  Pages pages{std::string(text.substr(0, space)), 0, 0};
  if (!IsName(pages.mapping)) return std::nullopt;
  if (space == std::string_view::npos) return pages;
  const std::string_view numbers = text.substr(space + 1);
  const std::size_t dash = numbers.find('-');
  const auto first = ParseNumber<std::uint32_t>(numbers.substr(0, dash));
  const auto last =
      dash == std::string_view::npos ? first : ParseNumber<std::uint32_t>(numbers.substr(dash + 1));
  if (!first || !last || *last < *first) return std::nullopt;
  pages.first = *first;
  pages.count = std::size_t{*last} - *first + 1;
  return pages;
}

bool IsName(std::string_view text) {
  const auto letter = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto other = [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '_'; };
  return !text.empty() && letter(text[0]) && std::all_of(text.begin(), text.end(), other) &&
         std::find(std::begin(kNoNames), std::end(kNoNames), text) == std::end(kNoNames);
}

}  // namespace kfdcts::harness::scenario
