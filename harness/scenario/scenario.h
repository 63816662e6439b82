#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "harness/test_support/test_spec.h"

namespace kfdcts::harness::scenario {

/// Pages [first, first + count) of a mapping that a `map` step made. In a file "a", "a 3", "a 4-7".
struct Pages {
  std::string mapping;
  std::size_t first = 0;
  std::size_t count = 0;

  friend bool operator==(const Pages&, const Pages&) = default;
};

/// A place that memory can be sent to: "cpu", "gpu0" (the test's first GPU), or "none", undefined.
struct Place {
  enum class Kind { kCpu, kGpu, kNone };
  Kind kind = Kind::kCpu;
  std::size_t gpu = 0;  ///< Of kGpu.

  friend bool operator==(const Place&, const Place&) = default;
};

/// One attribute of a call: "access gpu0", "preferred none", "set-flags gpu-ro", "granularity 5".
struct Attribute {
  enum class Kind {
    kAccess,
    kInPlace,
    kNoAccess,
    kPreferred,
    kPrefetch,
    kSetFlags,
    kClearFlags,
    kGranularity
  };
  Kind kind = Kind::kAccess;
  Place place;              ///< Of the first five.
  std::uint32_t value = 0;  ///< Of the others.

  friend bool operator==(const Attribute&, const Attribute&) = default;
};

/// What is in pages.
struct Contents {
  enum class Kind {
    kValue,    ///< Each 32-bit word is this.
    kWord,     ///< The first word of each page is this; of the rest nothing is said.
    kPattern,  ///< Each word is another, by its offset in the mapping and this seed.
  };
  Kind kind = Kind::kValue;
  std::uint32_t number = 0;

  friend bool operator==(const Contents&, const Contents&) = default;
};

enum class MapKind { kAnonymous, kShared, kFilePrivate, kFileShared, kHuge };
enum class EngineKind { kSdma, kPm4 };
enum class AtomicKind { kAdd32, kAdd64, kSwap32, kSwap64, kCompareSwap32, kCompareSwap64 };
enum class Status { kSuccess, kError, kInvalidParameter, kInvalidNode, kNoMemory, kNotSupported };
enum class EventKind {
  kMigrateStart,
  kMigrateEnd,
  kPageFaultStart,
  kPageFaultEnd,
  kQueueEviction,
  kQueueRestore,
  kUnmapFromGpu
};

struct Step;

struct Map {
  std::string name;
  std::size_t pages = 1;
  MapKind kind = MapKind::kAnonymous;
  std::optional<Contents> contents;  ///< Written by the CPU; without, the pages are untouched.
};

/// Maps pages anew, anonymous and private, over what is there or was.
struct MapAgain {
  Pages at;
};

struct SetAttributes {
  Pages at;
  std::vector<Attribute> attributes;
  Status status = Status::kSuccess;
};

struct GetAttributes {
  Pages at;
  std::vector<Attribute> attributes;
  std::optional<std::vector<Attribute>> answers;  ///< Of the same length.
  Status status = Status::kSuccess;
};

/// Everything that an interval says. What is not named is SVM-4's default of the XNACK mode.
struct Expect {
  Pages at;
  bool each_page = false;  ///< Each page by itself says so, rather than all at once.
  std::optional<Place> preferred;
  std::optional<Place> prefetch;
  std::optional<std::uint32_t> flags;      ///< Set on all pages.
  std::optional<std::uint32_t> any_flags;  ///< Set on at least one; without, as `flags`.
  std::optional<std::uint32_t> granularity;
  std::map<std::size_t, Attribute::Kind> access;  ///< By the test's GPU.
};

struct CpuWrite {
  Pages at;
  Contents contents;
};

struct CpuRead {
  Pages at;
  Contents contents;
};

struct GpuWrite {
  Pages at;
  Contents contents;
  std::size_t gpu = 0;
  EngineKind engine = EngineKind::kSdma;
};

struct GpuRead {
  Pages at;
  Contents contents;
  std::size_t gpu = 0;
  EngineKind engine = EngineKind::kSdma;
};

/// On the first word of each page.
struct GpuAtomic {
  Pages at;
  AtomicKind operation = AtomicKind::kAdd32;
  std::uint64_t operand = 1;
  std::uint64_t compare = 0;
  std::size_t gpu = 0;
  EngineKind engine = EngineKind::kSdma;
};

/// An access of the GPU to one page that ends in a memory exception.
struct ExpectFault {
  Pages at;
  bool write = false;
  bool read_only = false;  ///< The reason: a write to what may be read. Otherwise: not present.
  std::size_t gpu = 0;
  EngineKind engine = EngineKind::kSdma;
};

/// Another reader of the process's memory.
struct Peek {
  enum class By { kPtrace, kProcessVmReadv, kProcMem };
  Pages at;
  Contents contents;
  By by = By::kPtrace;
};

/// read(2) of a file into the pages.
struct SyscallRead {
  Pages at;
  Contents contents;
};

/// write(2) of the pages to a file, which then holds `contents`.
struct SyscallWrite {
  Pages at;
  Contents contents;
};

struct Munmap {
  Pages at;
};

/// Moves pages away; where they go is a new mapping.
struct Mremap {
  Pages at;
  std::string name;
  std::size_t pages = 0;  ///< Of the new mapping.
};

struct Madvise {
  Pages at;
  int advice = 0;  ///< MADV_*.
};

struct Mprotect {
  Pages at;
  int protection = 0;  ///< PROT_*.
};

struct Mlock {
  Pages at;
  bool unlock = false;
};

/// A child process with copies of all mappings, which waits for `child` steps and ends with the
/// scenario, or at `end-child`.
struct Fork {
  std::string name;
};

struct Child {
  std::string name;
  std::vector<Step> steps;  ///< Of the CPU only.
};

struct EndChild {
  std::string name;
};

struct SetXnack {
  bool enabled = false;
  Status status = Status::kSuccess;
};

/// Ends all queues that earlier steps of a GPU made.
struct EndWork {};

/// From here on events of the GPU are kept.
struct WatchEvents {
  std::size_t gpu = 0;
  std::vector<EventKind> kinds;
};

struct Event {
  EventKind kind = EventKind::kMigrateEnd;
  std::optional<Pages> at;  ///< Exactly these.
  std::optional<Place> from, to;
  std::optional<std::uint32_t> trigger;  ///< KFD_MIGRATE_TRIGGER_* and so on.
};

/// Events that come in this order, others among them.
struct ExpectEvents {
  std::size_t gpu = 0;
  std::vector<Event> events;
};

/// None of these has come since they are watched, or since the last step that looked.
struct ExpectNoEvents {
  std::size_t gpu = 0;
  std::vector<EventKind> kinds;
};

/// Where each page is by pagemap: 'm' system memory, 'v' a GPU, '.' never touched.
struct ExpectResidency {
  Pages at;
  std::string pages;  ///< A letter a page.
};

/// Ranges that the kernel keeps for the process beside those from before the scenario.
struct ExpectRanges {
  std::size_t count = 0;
};

/// Steps of several threads at once.
struct Together {
  std::vector<std::vector<Step>> threads;
  std::size_t rounds = 1;
};

/// Steps that go on in a thread of their own until `finish`, or the scenario's end.
struct Start {
  std::string name;
  std::vector<Step> steps;
};

struct Finish {
  std::string name;
};

/// An order to a virtual GPU's director, until released or the scenario's end.
struct Hold {
  std::size_t gpu = 0;
  std::string what;  ///< "interrupts", or an engine: "sdma0", "sdma1", "cp".
};

struct Release {
  std::size_t gpu = 0;
  std::string what;
};

using Action = std::variant<Map, MapAgain, SetAttributes, GetAttributes, Expect, CpuWrite, CpuRead,
                            GpuWrite, GpuRead, GpuAtomic, ExpectFault, Peek, SyscallRead,
                            SyscallWrite, Munmap, Mremap, Madvise, Mprotect, Mlock, Fork, Child,
                            EndChild, SetXnack, EndWork, WatchEvents, ExpectEvents, ExpectNoEvents,
                            ExpectResidency, ExpectRanges, Together, Start, Finish, Hold, Release>;

struct Step {
  int line = 0;  ///< In its file, from 1; 0 where it is of none.
  Action action;
};

/// A file of fixtures/scenarios: what its test is, and what happens.
struct Scenario {
  std::filesystem::path file;
  std::string name;  ///< The file's, without ".yaml".
  std::string property;
  std::string rules;   ///< As in TestSpec.
  std::string guards;  ///< As in TestSpec.
  Scope scope = Scope::kEachGpu;
  Xnack xnack = Xnack::kAny;
  std::vector<Requirement> needs;
  Process process = Process::kShared;
  std::chrono::seconds time_limit{60};
  std::vector<Step> steps;

  /// How many GPUs the steps may name.
  std::size_t GpuCount() const {
    return scope == Scope::kCpu ? 0 : scope == Scope::kEachGpuPair ? 2 : 1;
  }
};

}  // namespace kfdcts::harness::scenario
