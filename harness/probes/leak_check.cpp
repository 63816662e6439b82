#include "harness/probes/leak_check.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

#include "harness/probes/allocation_failure.h"
#include "harness/probes/children.h"
#include "harness/probes/thunk_objects.h"

namespace kfdcts::harness {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kPatience{2};

/// A file's name as it was before somebody, perhaps another process, unlinked it.
std::string NameBeforeUnlinking(std::string name) {
  constexpr std::string_view kMark = " (deleted)";
  if (name.ends_with(kMark)) name.resize(name.size() - kMark.size());
  return name;
}

std::map<int, std::string> ReadDescriptors() {
  std::map<int, std::string> descriptors;
  for (const auto& entry : fs::directory_iterator("/proc/self/fd")) {
    std::error_code error;
    const auto target = fs::read_symlink(entry.path(), error);
    if (error) continue;
    // The one that this loop reads the folder by.
    if (target == "/proc/" + std::to_string(getpid()) + "/fd") continue;
    descriptors[std::atoi(entry.path().filename().c_str())] = NameBeforeUnlinking(target);
  }
  return descriptors;
}

std::set<pid_t> ReadThreads() {
  std::set<pid_t> threads;
  for (const auto& entry : fs::directory_iterator("/proc/self/task")) {
    threads.insert(std::atoi(entry.path().filename().c_str()));
  }
  return threads;
}

bool IsDevice(const std::string& name) {
  return name.starts_with("/dev/") || name.starts_with("anon_inode:") ||
         name.starts_with("/dmabuf:") || name.starts_with("/memfd:");
}

std::vector<MappedRegion> ReadMappings() {
  // A sanitizer's allocator maps anonymous memory of its own as it likes.
  const bool anonymous_counts = AllocationFailure::Available();
  std::vector<MappedRegion> mappings;
  for (auto& region : ReadMaps()) {
    region.name = NameBeforeUnlinking(std::move(region.name));
    if (IsDevice(region.name) || (region.name.empty() && anonymous_counts)) {
      mappings.push_back(std::move(region));
    }
  }
  return mappings;
}

std::map<std::string, std::uint64_t> ReadKfdMemory() {
  const fs::path folder = "/sys/devices/virtual/kfd/kfd/proc/" + std::to_string(getpid());
  std::map<std::string, std::uint64_t> memory;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename();
    if (!name.starts_with("vram_")) continue;
    std::ifstream(entry.path()) >> memory[name];
  }
  return memory;
}

bool HasMore(const std::map<std::string, std::uint64_t>& before,
             const std::map<std::string, std::uint64_t>& now) {
  return std::any_of(now.begin(), now.end(), [&](const auto& entry) {
    const auto old = before.find(entry.first);
    return entry.second > (old == before.end() ? 0 : old->second);
  });
}

std::string Describe(const MappedRegion& region) {
  std::ostringstream text;
  text << std::hex << region.begin << "-" << region.end << " " << region.permissions << std::dec
       << " (" << region.size() << " bytes) of "
       << (region.name.empty() ? "anonymous memory" : region.name);
  return text.str();
}

}  // namespace

Holdings TakeHoldings(const Thunk* thunk) {
  Holdings now;
  now.mappings = ReadMappings();
  now.descriptors = ReadDescriptors();
  now.threads = ReadThreads();
  now.children = RunningChildren();
  now.kfd_memory = ReadKfdMemory();
  if (thunk != nullptr) now.thunk_objects = ThunkObjects::Count(*thunk);
  return now;
}

std::vector<std::string> Compare(const Holdings& before, const Holdings& after) {
  std::vector<std::string> leaks;
  for (const auto& [fd, target] : after.descriptors) {
    const auto old = before.descriptors.find(fd);
    if (old != before.descriptors.end() && old->second == target) continue;
    leaks.push_back("descriptor " + std::to_string(fd) + " of " + target);
  }
  for (const pid_t thread : after.threads) {
    if (!before.threads.contains(thread)) leaks.push_back("thread " + std::to_string(thread));
  }
  for (const auto& [pid, name] : after.children) {
    if (before.children.contains(pid)) continue;
    leaks.push_back("process " + std::to_string(pid) + " " + name);
  }
  for (const auto& region : NewRegions(before.mappings, after.mappings)) {
    leaks.push_back("mapping " + Describe(region));
  }
  for (const auto& [name, bytes] : after.kfd_memory) {
    const auto old = before.kfd_memory.find(name);
    const std::uint64_t had = old == before.kfd_memory.end() ? 0 : old->second;
    if (bytes > had) leaks.push_back("KFD memory: " + std::to_string(bytes - had) + " of " + name);
  }
  if (after.thunk_objects.value_or(0) > before.thunk_objects.value_or(0)) {
    leaks.push_back("thunk objects: " +
                    std::to_string(*after.thunk_objects - before.thunk_objects.value_or(0)));
  }
  return leaks;
}

LeakCheck::LeakCheck(const Thunk* thunk) : thunk_(thunk), before_(TakeHoldings(thunk)) {}

std::vector<std::string> LeakCheck::Leaks() const {
  // Threads end, and a worker of the kernel gives SVM's memory back, after what lets them go.
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while ((ReadThreads().size() > before_.threads.size() ||
          HasMore(before_.kfd_memory, ReadKfdMemory())) &&
         std::chrono::steady_clock::now() < deadline) {
    sched_yield();
  }
  return Compare(before_, TakeHoldings(thunk_));
}

}  // namespace kfdcts::harness
