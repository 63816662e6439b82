#include "harness/svm_model/predictor.h"

#include <sys/mman.h>

#include <algorithm>

namespace kfdcts::harness::svm_model {
namespace {

using Kind = Operation::Kind;

std::uint32_t IdOf(const scenario::Place& place) {
  switch (place.kind) {
    case scenario::Place::Kind::kCpu:
      return kSystem;
    case scenario::Place::Kind::kGpu:
      return static_cast<std::uint32_t>(place.gpu) + 1;
    case scenario::Place::Kind::kNone:
      break;
  }
  return kUndefined;
}

AttributeType TypeOf(scenario::Attribute::Kind kind) {
  switch (kind) {
    case scenario::Attribute::Kind::kAccess:
      return kAccess;
    case scenario::Attribute::Kind::kInPlace:
      return kAccessInPlace;
    case scenario::Attribute::Kind::kNoAccess:
      return kNoAccess;
    case scenario::Attribute::Kind::kPreferred:
      return kPreferredLocation;
    case scenario::Attribute::Kind::kPrefetch:
      return kPrefetchLocation;
    case scenario::Attribute::Kind::kSetFlags:
      return kSetFlags;
    case scenario::Attribute::Kind::kClearFlags:
      return kClearFlags;
    case scenario::Attribute::Kind::kGranularity:
      break;
  }
  return kGranularity;
}

scenario::Attribute::Kind AccessOf(std::uint32_t type) {
  if (type == kAccess) return scenario::Attribute::Kind::kAccess;
  return type == kAccessInPlace ? scenario::Attribute::Kind::kInPlace
                                : scenario::Attribute::Kind::kNoAccess;
}

/// As the thunk gives it.
scenario::Status StatusOf(int result) {
  if (result == 0) return scenario::Status::kSuccess;
  return result == kInvalid ? scenario::Status::kInvalidParameter : scenario::Status::kError;
}

void Push(std::vector<scenario::Step>& steps, scenario::Action action) {
  steps.push_back({0, std::move(action)});
}

}  // namespace

Predictor::Predictor(const Setting& setting, std::string name)
    : setting_(setting), name_(std::move(name)), model_(setting.machine), pages_(setting.pages) {
  model_.Map(kBase, pages_.size());
}

scenario::Step Predictor::FirstMap() const {
  return {0, scenario::Map{name_, pages_.size(), scenario::MapKind::kHuge, std::nullopt}};
}

scenario::Pages Predictor::At(const Operation& operation) const {
  return {name_, operation.first, operation.count};
}

std::vector<Attribute> Predictor::ToModel(
    const std::vector<scenario::Attribute>& attributes) const {
  std::vector<Attribute> list;
  for (const auto& one : attributes) {
    const AttributeType type = TypeOf(one.kind);
    list.push_back({type, type < kSetFlags ? IdOf(one.place) : one.value});
  }
  return list;
}

scenario::Place Predictor::ToPlace(std::uint32_t location) const {
  if (location == kSystem) return {scenario::Place::Kind::kCpu, 0};
  if (location == kUndefined) return {scenario::Place::Kind::kNone, 0};
  return {scenario::Place::Kind::kGpu, location - 1};
}

bool Predictor::AllMapped(const Operation& operation) const {
  return std::all_of(
      pages_.begin() + static_cast<std::ptrdiff_t>(operation.first),
      pages_.begin() + static_cast<std::ptrdiff_t>(operation.first + operation.count),
      [](const Page& page) { return page.mapped; });
}

void Predictor::Fill(const Operation& operation, std::uint32_t value) {
  for (std::size_t page = operation.first; page < operation.first + operation.count; ++page) {
    pages_[page] = {true, value, value};
  }
}

template <typename Make>
void Predictor::ForEachRun(const Operation& operation, const Make& make) const {
  const std::size_t end = operation.first + operation.count;
  for (std::size_t first = operation.first; first < end;) {
    std::size_t last = first + 1;
    while (last < end && pages_[last] == pages_[first]) ++last;
    const Page& page = pages_[first];
    const auto kind = page.first == page.rest ? scenario::Contents::Kind::kValue
                                              : scenario::Contents::Kind::kWord;
    make(scenario::Pages{name_, first, last - first}, scenario::Contents{kind, page.first});
    first = last;
  }
}

void Predictor::Add(const Operation& operation, std::vector<scenario::Step>& steps) {
  switch (operation.kind) {
    case Kind::kSet:
      return AddSet(operation, steps);
    case Kind::kExpect:
      return AddExpect(operation, steps);
    case Kind::kGpuWrite:
    case Kind::kGpuRead:
    case Kind::kGpuAdd:
      return AddGpu(operation, steps);
    case Kind::kUnmap:
    case Kind::kMapAgain:
    case Kind::kDontNeed:
    case Kind::kProtect:
      return AddMapping(operation, steps);
    case Kind::kMove:
      return AddMove(operation, steps);
    default:
      return AddCpu(operation, steps);
  }
}

void Predictor::AddSet(const Operation& operation, std::vector<scenario::Step>& steps) {
  const auto attributes = ToModel(operation.attributes);
  const std::uint64_t first = PageNumber(operation.first);
  if (!setting_.allow_hang && model_.SetWouldHang(first, operation.count, attributes)) return;
  if (setting_.keep_last_access && LosesLastAccess(first, operation.count, attributes)) return;
  const int result = model_.Set(first, operation.count, attributes);
  Push(steps, scenario::SetAttributes{At(operation), operation.attributes, StatusOf(result)});
}

bool Predictor::LosesLastAccess(std::uint64_t first, std::uint64_t count,
                                const std::vector<Attribute>& attributes) const {
  Model after = model_;
  after.Set(first, count, attributes);
  return std::any_of(after.ranges().begin(), after.ranges().end(), [&](const auto& entry) {
    const Range& range = entry.second;
    return range.last >= first && range.first < first + count && range.mapped != 0 &&
           (range.access | range.in_place) == 0;
  });
}

void Predictor::AddExpect(const Operation& operation, std::vector<scenario::Step>& steps) const {
  std::vector<Attribute> answers = {{kPreferredLocation, 0},
                                    {kPrefetchLocation, 0},
                                    {kSetFlags, 0},
                                    {kClearFlags, 0},
                                    {kGranularity, 0}};
  const std::size_t fixed = answers.size();
  for (std::size_t gpu = 0; gpu < setting_.gpus; ++gpu) {
    answers.push_back({kAccess, static_cast<std::uint32_t>(gpu) + 1});
  }
  const int result = model_.Get(PageNumber(operation.first), operation.count, answers);
  if (result != 0) {
    const scenario::Attribute any{scenario::Attribute::Kind::kGranularity, {}, 0};
    Push(steps, scenario::GetAttributes{At(operation), {any}, std::nullopt, StatusOf(result)});
    return;
  }
  scenario::Expect expect;
  expect.at = At(operation);
  expect.preferred = ToPlace(answers[0].value);
  expect.prefetch = ToPlace(answers[1].value);
  expect.flags = answers[2].value;
  expect.any_flags = ~answers[3].value;
  expect.granularity = answers[4].value;
  for (std::size_t gpu = 0; gpu < setting_.gpus; ++gpu) {
    expect.access[gpu] = AccessOf(answers[fixed + gpu].type);
  }
  Push(steps, std::move(expect));
}

/// Whether a GPU's access ends well (SVM-18, XNK-5, XNK-8). Where it does, what its faults make is
/// noted.
bool Predictor::GpuMay(const Operation& operation, bool write) {
  if (!AllMapped(operation)) return false;
  Model after = model_;
  for (std::size_t page = operation.first; page < operation.first + operation.count; ++page) {
    const std::uint64_t number = PageNumber(page);
    const Range* range = model_.Find(number);
    if (range != nullptr && write && (range->flags & kFlagGpuReadOnly) != 0) return false;
    if (setting_.machine.xnack) {
      // A range without access that prefers a place which this GPU may use is served nevertheless,
      // but not by every kernel: no test of the sequence's.
      const std::uint64_t users =
          range == nullptr ? ~std::uint64_t{0} : range->access | range->in_place;
      if ((users >> operation.gpu & 1U) == 0 || !after.GpuTouch(operation.gpu, number))
        return false;
    } else if (range == nullptr || ((range->access | range->in_place) >> operation.gpu & 1U) == 0) {
      return false;
    }
  }
  model_ = std::move(after);
  return true;
}

void Predictor::AddGpu(const Operation& operation, std::vector<scenario::Step>& steps) {
  const bool write = operation.kind != Kind::kGpuRead;
  if (!GpuMay(operation, write)) return;
  if (operation.kind == Kind::kGpuRead) {
    ForEachRun(operation, [&](scenario::Pages at, scenario::Contents contents) {
      Push(steps, scenario::GpuRead{std::move(at), contents, operation.gpu, operation.engine});
    });
    return;
  }
  if (operation.kind == Kind::kGpuWrite) {
    const scenario::Contents contents{scenario::Contents::Kind::kValue, operation.number};
    Push(steps, scenario::GpuWrite{At(operation), contents, operation.gpu, operation.engine});
    Fill(operation, operation.number);
    return;
  }
  Push(steps, scenario::GpuAtomic{At(operation), scenario::AtomicKind::kAdd32, operation.number, 0,
                                  operation.gpu, operation.engine});
  for (std::size_t page = operation.first; page < operation.first + operation.count; ++page) {
    pages_[page].first += operation.number;
  }
}

void Predictor::AddCpu(const Operation& operation, std::vector<scenario::Step>& steps) {
  if (!AllMapped(operation)) return;
  const scenario::Contents contents{scenario::Contents::Kind::kValue, operation.number};
  switch (operation.kind) {
    case Kind::kCpuWrite:
      Push(steps, scenario::CpuWrite{At(operation), contents});
      return Fill(operation, operation.number);
    case Kind::kSyscallRead:
      Push(steps, scenario::SyscallRead{At(operation), contents});
      return Fill(operation, operation.number);
    case Kind::kForkAndWrite: {
      const std::string child = name_ + "_child" + std::to_string(++made_);
      Push(steps, scenario::Fork{child});
      Push(steps, scenario::Child{child, {{0, scenario::CpuWrite{At(operation), contents}}}});
      Push(steps, scenario::EndChild{child});
      return;
    }
    default:
      break;
  }
  ForEachRun(operation, [&](scenario::Pages at, scenario::Contents found) {
    const bool whole = found.kind == scenario::Contents::Kind::kValue;
    if (operation.kind == Kind::kPeek) {
      const auto by = operation.number % 2 == 0 ? scenario::Peek::By::kProcMem
                                                : scenario::Peek::By::kProcessVmReadv;
      Push(steps, scenario::Peek{std::move(at), found, by});
    } else if (operation.kind == Kind::kSyscallWrite && whole) {
      Push(steps, scenario::SyscallWrite{std::move(at), found});
    } else {
      Push(steps, scenario::CpuRead{std::move(at), found});
    }
  });
}

/// With retry, what a CPU read fetched may be on a GPU again before the next step: the GPU repeats
/// its faults, and the kernel handles repetitions after the access has ended. One of a write that
/// meets read-only memory then is a memory fault of the next access, too.
bool Predictor::PagesMayComeBack() const {
  return setting_.machine.xnack && !setting_.allow_late_faults;
}

/// They bring the pages back, too.
void Predictor::AddCpuReads(const Operation& operation, std::vector<scenario::Step>& steps) const {
  ForEachRun(operation, [&](scenario::Pages at, scenario::Contents contents) {
    Push(steps, scenario::CpuRead{std::move(at), contents});
  });
}

void Predictor::AddMapping(const Operation& operation, std::vector<scenario::Step>& steps) {
  const std::uint64_t first = PageNumber(operation.first);
  switch (operation.kind) {
    case Kind::kUnmap:
      Push(steps, scenario::Munmap{At(operation)});
      model_.Unmap(first, operation.count);
      Fill(operation, 0);
      for (std::size_t page = operation.first; page < operation.first + operation.count; ++page) {
        pages_[page].mapped = false;
      }
      return;
    case Kind::kMapAgain:
      Push(steps, scenario::MapAgain{At(operation)});
      model_.Unmap(first, operation.count);
      model_.Map(first, operation.count);
      Fill(operation, 0);
      // A GPU's fault makes a range as far as the mapping goes, and whether the kernel has joined
      // the new one with its neighbours cannot be known: it gets a range of its own at once.
      if (setting_.machine.xnack) {
        Operation range = operation;
        range.attributes.clear();
        AddSet(range, steps);
      }
      return;
    case Kind::kDontNeed:
      if (!AllMapped(operation)) return;
      if (setting_.gpus > 1 && !setting_.allow_miscounts) {
        if (PagesMayComeBack()) return;
        AddCpuReads(operation, steps);
      }
      Push(steps, scenario::Madvise{At(operation), MADV_DONTNEED});
      // Linux 7.3 gives the GPU what its memory had before for pages that are not there, so the CPU
      // touches them first; a scenario of its own is about that (dontneed_reads_zero).
      Push(steps, scenario::CpuWrite{At(operation), {scenario::Contents::Kind::kValue, 0}});
      return Fill(operation, 0);
    default:
      if (!AllMapped(operation) || PagesMayComeBack()) return;
      Push(steps, scenario::Mprotect{At(operation), PROT_READ});
      Push(steps, scenario::Mprotect{At(operation), PROT_READ | PROT_WRITE});
  }
}

/// Away, looked at there, and forgotten: the thread's own mapping keeps a hole. The CPU reads the
/// pages before, since Linux loses those that are on a GPU (moved_by_mremap is about that).
void Predictor::AddMove(const Operation& operation, std::vector<scenario::Step>& steps) {
  if (!AllMapped(operation) || PagesMayComeBack()) return;
  AddCpuReads(operation, steps);
  const std::string name = name_ + "_moved" + std::to_string(++made_);
  Push(steps, scenario::Mremap{At(operation), name, operation.count});
  ForEachRun(operation, [&](scenario::Pages at, scenario::Contents contents) {
    Push(steps, scenario::CpuRead{{name, at.first - operation.first, at.count}, contents});
  });
  scenario::Expect defaults;
  defaults.at = {name, 0, operation.count};
  Push(steps, std::move(defaults));
  model_.Unmap(PageNumber(operation.first), operation.count);
  Fill(operation, 0);
  for (std::size_t page = operation.first; page < operation.first + operation.count; ++page) {
    pages_[page].mapped = false;
  }
}

scenario::Scenario ToScenario(const Setting& setting, const Sequence& sequence) {
  scenario::Scenario scenario;
  scenario.property = "found by a random sequence";
  scenario.rules = "SVM-5 SVM-7 SVM-8 SVM-14 SVM-15 SVM-17";
  scenario.scope = setting.gpus > 1 ? Scope::kEachGpuPair : Scope::kEachGpu;
  scenario.xnack = setting.machine.xnack ? Xnack::kOn : Xnack::kOff;
  scenario::Together together;
  for (std::size_t thread = 0; thread < sequence.size(); ++thread) {
    Predictor predictor(setting, "m" + std::to_string(thread));
    std::vector<scenario::Step> steps;
    for (const auto& operation : sequence[thread]) predictor.Add(operation, steps);
    if (steps.empty()) continue;
    scenario.steps.push_back(predictor.FirstMap());
    together.threads.push_back(std::move(steps));
  }
  if (together.threads.size() == 1) {
    auto& steps = together.threads[0];
    std::move(steps.begin(), steps.end(), std::back_inserter(scenario.steps));
  } else if (!together.threads.empty()) {
    scenario.steps.push_back({0, std::move(together)});
  }
  return scenario;
}

}  // namespace kfdcts::harness::svm_model
