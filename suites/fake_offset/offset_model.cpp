#include "suites/fake_offset/offset_model.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace kfdcts::suites {
namespace {

using Kind = Step::Kind;

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kFirst = std::uint64_t{1} << 32U;

bool MakesMapping(Kind kind) { return kind == Kind::kMap || kind == Kind::kMapFirst; }

bool IsMap(Kind kind) {
  return MakesMapping(kind) || kind == Kind::kMapInside || kind == Kind::kMapPast;
}

template <typename Things>
std::vector<int> HeldBy(const Things& things, int process) {
  std::vector<int> list;
  for (const auto& [id, thing] : things) {
    if (thing.processes.contains(process)) list.push_back(id);
  }
  return list;
}

template <typename Things>
void EraseUnheld(Things& things) {
  std::erase_if(things, [](const auto& entry) { return entry.second.processes.empty(); });
}

}  // namespace

std::vector<int> OffsetModel::FilesOf(int process) const { return HeldBy(files_, process); }
std::vector<int> OffsetModel::DmaBufsOf(int process) const { return HeldBy(dma_bufs_, process); }
std::vector<int> OffsetModel::MappingsOf(int process) const { return HeldBy(mappings_, process); }

std::vector<int> OffsetModel::LiveBuffers() const {
  std::vector<int> list;
  for (const auto& [id, buffer] : buffers_) {
    if (Alive(id)) list.push_back(id);
  }
  return list;
}

bool OffsetModel::Holds(int process, int file) const {
  const auto found = files_.find(file);
  return found != files_.end() && found->second.processes.contains(process);
}

std::uint32_t OffsetModel::HandleOf(int file, int buffer) const {
  const auto& handles = files_.at(file).handles;
  const auto found = handles.find(buffer);
  return found == handles.end() ? 0 : found->second.front().value;
}

bool OffsetModel::OnlyMapped(int buffer) const {
  const auto of_buffer = [buffer](const auto& entry) { return entry.second.buffer == buffer; };
  const auto has_handle = [buffer](const auto& entry) {
    return entry.second.handles.contains(buffer);
  };
  return std::ranges::none_of(files_, has_handle) && std::ranges::none_of(dma_bufs_, of_buffer) &&
         std::ranges::any_of(mappings_, of_buffer);
}

bool OffsetModel::Alive(int buffer) const {
  const auto of_buffer = [buffer](const auto& entry) { return entry.second.buffer == buffer; };
  return std::ranges::any_of(
             files_,
             [buffer](const auto& entry) { return entry.second.handles.contains(buffer); }) ||
         std::ranges::any_of(dma_bufs_, of_buffer) || std::ranges::any_of(mappings_, of_buffer);
}

/// Whether another live buffer has one of its offsets.
bool OffsetModel::Overlaps(int buffer) const {
  const Buffer& mine = buffers_.at(buffer);
  return std::ranges::any_of(buffers_, [&](const auto& entry) {
    const auto& [id, other] = entry;
    return id != buffer &&
           mine.offset < other.offset + static_cast<std::uint64_t>(other.pages) * kPage &&
           other.offset < mine.offset + static_cast<std::uint64_t>(mine.pages) * kPage && Alive(id);
  });
}

bool OffsetModel::CanDo(const Step& step) const {
  if (!processes_.contains(step.process)) return false;
  const auto holds = [&](const auto& things) {
    const auto found = things.find(step.thing);
    return found != things.end() && found->second.processes.contains(step.process);
  };
  const bool knows = buffers_.contains(step.buffer);
  switch (step.kind) {
    case Kind::kOpen:
      return true;
    case Kind::kCloseFile:
    case Kind::kCreate:
      return Holds(step.process, step.file);
    case Kind::kAsk:
    case Kind::kExport:
      return knows && Holds(step.process, step.file);
    case Kind::kCloseHandle:
      return knows && Holds(step.process, step.file) && HandleOf(step.file, step.buffer) != 0;
    case Kind::kMap:
    case Kind::kMapFirst:
    case Kind::kMapInside:
    case Kind::kMapPast:
      // The offset of a buffer that is gone may be another's now: then there is nothing to expect.
      return knows && Holds(step.process, step.file) &&
             (Alive(step.buffer) || !Overlaps(step.buffer)) &&
             (step.kind != Kind::kMapInside || buffers_.at(step.buffer).pages > 1);
    case Kind::kUnmap:
      return holds(mappings_);
    case Kind::kPass:
      return holds(dma_bufs_) && processes_.contains(step.other) && step.other != step.process &&
             !dma_bufs_.at(step.thing).processes.contains(step.other);
    case Kind::kImport:
      return holds(dma_bufs_) && Holds(step.process, step.file);
    case Kind::kCloseDmaBuf:
      return holds(dma_bufs_);
    case Kind::kFork:
      return true;
    case Kind::kDie:
      return processes_.size() > 1;
  }
  return false;
}

int OffsetModel::MapError(const Step& step) const {
  if (step.kind == Kind::kMapInside || step.kind == Kind::kMapPast) return EINVAL;  // OFF-5
  if (!Alive(step.buffer)) return EINVAL;                                           // OFF-8
  if (OnlyMapped(step.buffer)) return mapped_alone_;                                // OFF-7
  return HandleOf(step.file, step.buffer) != 0 ? 0 : EACCES;                        // OFF-6, 7
}

int OffsetModel::Expected(const Step& step) const {
  if (IsMap(step.kind)) return MapError(step);
  if (step.kind == Kind::kAsk || step.kind == Kind::kExport) {
    return HandleOf(step.file, step.buffer) != 0 ? 0 : ENOENT;  // OFF-9
  }
  return 0;
}

OffsetModel::Complaint OffsetModel::TakeNew(const Step& step, const Answer& answer) {
  buffers_[step.buffer] = {answer.offset, step.pages};
  if (answer.offset % kPage != 0 || answer.offset < kFirst) return "an offset against OFF-1";
  if (Overlaps(step.buffer)) return "an offset among those of a live buffer (OFF-3)";
  if (answer.handle == 0) return "handle 0";
  files_.at(step.file).handles[step.buffer].push_back({answer.handle, false});
  return std::nullopt;
}

OffsetModel::Complaint OffsetModel::TakeImport(const Step& step, const Answer& answer) {
  auto& handles = files_.at(step.file).handles[dma_bufs_.at(step.thing).buffer];
  const auto found = std::ranges::find(handles, answer.handle, &Handle::value);
  const bool expects_known = std::ranges::any_of(handles, &Handle::prime);
  if (found != handles.end() && found->prime) return std::nullopt;
  if (found != handles.end() || expects_known) return "an import gave the wrong handle";
  handles.push_back({answer.handle, true});
  return std::nullopt;
}

void OffsetModel::Inherit(const Step& step) {
  processes_.insert(step.other);
  const auto add = [&](auto& things) {
    for (auto& [id, thing] : things) {
      if (thing.processes.contains(step.process)) thing.processes.insert(step.other);
    }
  };
  add(files_);
  add(dma_bufs_);
  add(mappings_);
}

void OffsetModel::Bury(int process) {
  processes_.erase(process);
  const auto remove = [&](auto& things) {
    for (auto& [id, thing] : things) thing.processes.erase(process);
  };
  remove(files_);
  remove(dma_bufs_);
  remove(mappings_);
}

void OffsetModel::Sweep() {
  EraseUnheld(dma_bufs_);
  EraseUnheld(mappings_);
  std::erase_if(files_, [&](const auto& entry) {
    const int id = entry.first;
    return entry.second.processes.empty() &&
           std::ranges::none_of(mappings_, [id](const auto& one) { return one.second.file == id; });
  });
}

std::optional<std::string> OffsetModel::Take(const Step& step, const Answer& answer) {
  if (const int expected = Expected(step); answer.error != expected) {
    return "gave " + std::string(answer.error == 0 ? "success" : strerrorname_np(answer.error)) +
           ", not " + (expected == 0 ? "success" : strerrorname_np(expected));
  }
  if (answer.error != 0) return std::nullopt;
  if (!answer.right) return "showed another buffer's memory (OFF-4)";
  Complaint complaint;
  switch (step.kind) {
    case Kind::kOpen:
      files_[step.file].processes = {step.process};
      break;
    case Kind::kCloseFile:
      files_.at(step.file).processes.erase(step.process);
      break;
    case Kind::kCreate:
      complaint = TakeNew(step, answer);
      break;
    case Kind::kAsk:
      if (answer.offset != buffers_.at(step.buffer).offset)
        complaint = "the offset changed (OFF-2)";
      break;
    case Kind::kMap:
    case Kind::kMapFirst:
      mappings_[step.thing] = {{step.process}, step.buffer, step.file};
      break;
    case Kind::kUnmap:
      mappings_.at(step.thing).processes.erase(step.process);
      break;
    case Kind::kExport:
      dma_bufs_[step.thing] = {{step.process}, step.buffer};
      files_.at(step.file).handles.at(step.buffer).front().prime = true;
      break;
    case Kind::kPass:
      dma_bufs_.at(step.thing).processes.insert(step.other);
      break;
    case Kind::kImport:
      complaint = TakeImport(step, answer);
      break;
    case Kind::kCloseDmaBuf:
      dma_bufs_.at(step.thing).processes.erase(step.process);
      break;
    case Kind::kCloseHandle: {
      auto& handles = files_.at(step.file).handles;
      auto& mine = handles.at(step.buffer);
      mine.erase(mine.begin());
      if (mine.empty()) handles.erase(step.buffer);
      break;
    }
    case Kind::kFork:
      Inherit(step);
      break;
    case Kind::kDie:
      Bury(step.process);
      break;
    case Kind::kMapInside:
    case Kind::kMapPast:
      break;
  }
  Sweep();
  return complaint;
}

}  // namespace kfdcts::suites
