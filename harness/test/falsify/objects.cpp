#include "harness/test/falsify/objects.h"

namespace kfdcts::falsify {
namespace {

std::uintptr_t Number(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }

}  // namespace

Objects& Objects::Global() {
  static Objects objects;
  return objects;
}

void Objects::Allocated(const void* start, std::size_t size, bool scratch) {
  const std::lock_guard lock(mutex_);
  Object& object = objects_[Number(start)];
  object = {Number(start), size, scratch, false, object.user_data};
}

void Objects::Freed(const void* start) {
  const std::lock_guard lock(mutex_);
  const auto found = objects_.find(Number(start));
  if (found != objects_.end()) found->second.freed = true;
}

void Objects::UserDataSet(const void* start, void* value) {
  const std::lock_guard lock(mutex_);
  const auto found = objects_.find(Number(start));
  if (found != objects_.end()) found->second.user_data = value;
}

std::optional<Objects::Object> Objects::Find(const void* address) const {
  const std::lock_guard lock(mutex_);
  auto behind = objects_.upper_bound(Number(address));
  if (behind == objects_.begin()) return std::nullopt;
  const Object& object = std::prev(behind)->second;
  if (Number(address) - object.start >= object.size) return std::nullopt;
  return object;
}

std::vector<const void*> Objects::Live() const {
  const std::lock_guard lock(mutex_);
  std::vector<const void*> live;
  for (const auto& [start, object] : objects_) {
    if (!object.freed && !object.scratch) live.push_back(reinterpret_cast<const void*>(start));
  }
  return live;
}

}  // namespace kfdcts::falsify
