// Steps about the process's mappings.
#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "suites/scenarios/player.h"
#include "suites/support/memory.h"

namespace kfdcts::suites {

namespace scenario = harness::scenario;

namespace {

SvmMemory::Kind ToSupport(scenario::MapKind kind) {
  switch (kind) {
    case scenario::MapKind::kAnonymous:
      return SvmMemory::Kind::kAnonymous;
    case scenario::MapKind::kShared:
      return SvmMemory::Kind::kShared;
    case scenario::MapKind::kFilePrivate:
      return SvmMemory::Kind::kFilePrivate;
    case scenario::MapKind::kFileShared:
      return SvmMemory::Kind::kFileShared;
    case scenario::MapKind::kHuge:
      break;
  }
  return SvmMemory::Kind::kHuge;
}

Complaint CallFailed(const char* call) {
  return std::string(call) + ": " + std::generic_category().message(errno);
}

}  // namespace

void Player::NoteHole(const scenario::Pages& pages) {
  for (std::size_t page = pages.first; page < pages.first + pages.count; ++page) {
    holes_[pages.mapping].insert(page);
    mapped_again_[pages.mapping].erase(page);
  }
}

void Player::UnmapWhatCameAgain() {
  for (const auto& [name, pages] : mapped_again_) {
    for (const std::size_t page : pages) munmap(Memory(name).Pages(page).data(), PageSize());
  }
}

Complaint Player::Run(const scenario::Map& step, Engines&) {
  auto memory = std::make_unique<SvmMemory>(step.pages, ToSupport(step.kind));
  if (step.contents) WriteContents(memory->All(), 0, *step.contents);
  mappings_[step.name] = std::move(memory);
  return std::nullopt;
}

Complaint Player::Run(const scenario::MapAgain& step, Engines&) {
  const auto bytes = Bytes(step.at);
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
  if (mmap(bytes.data(), bytes.size(), PROT_READ | PROT_WRITE, flags, -1, 0) == MAP_FAILED) {
    return CallFailed("mmap");
  }
  const std::lock_guard lock(mapping_mutex_);
  const auto& holes = holes_[step.at.mapping];
  for (std::size_t page = step.at.first; page < step.at.first + step.at.count; ++page) {
    if (holes.contains(page)) mapped_again_[step.at.mapping].insert(page);
  }
  return std::nullopt;
}

Complaint Player::Run(const scenario::Munmap& step, Engines&) {
  const std::lock_guard lock(mapping_mutex_);
  Memory(step.at.mapping).Unmap(step.at.first, step.at.count);
  NoteHole(step.at);
  return std::nullopt;
}

Complaint Player::Run(const scenario::Mremap& step, Engines&) {
  // Its own mapping first, so that the place is known to be free.
  auto target = std::make_unique<SvmMemory>(step.pages);
  const std::lock_guard lock(mapping_mutex_);
  if (!Memory(step.at.mapping).MoveTo(step.at.first, step.at.count, *target)) {
    return CallFailed("mremap");
  }
  NoteHole(step.at);
  mappings_[step.name] = std::move(target);
  return std::nullopt;
}

Complaint Player::Run(const scenario::Madvise& step, Engines&) {
  const auto bytes = Bytes(step.at);
  if (madvise(bytes.data(), bytes.size(), step.advice) != 0) return CallFailed("madvise");
  return std::nullopt;
}

Complaint Player::Run(const scenario::Mprotect& step, Engines&) {
  const auto bytes = Bytes(step.at);
  if (mprotect(bytes.data(), bytes.size(), step.protection) != 0) return CallFailed("mprotect");
  return std::nullopt;
}

Complaint Player::Run(const scenario::Mlock& step, Engines&) {
  const auto bytes = Bytes(step.at);
  const int result =
      step.unlock ? munlock(bytes.data(), bytes.size()) : mlock(bytes.data(), bytes.size());
  if (result != 0) return CallFailed(step.unlock ? "munlock" : "mlock");
  return std::nullopt;
}

}  // namespace kfdcts::suites
