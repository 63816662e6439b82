#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "hsakmt/hsakmt.h"

namespace kfdcts::falsify {

/// What the shim saw being made, for the falsifications that need to know. Any thread.
class Objects {
 public:
  static Objects& Global();

  struct Object {
    std::uintptr_t start = 0;
    std::size_t size = 0;
    bool scratch = false;
    bool freed = false;
    void* user_data = nullptr;
  };

  void Allocated(const void* start, std::size_t size, bool scratch);
  void Freed(const void* start);
  void UserDataSet(const void* start, void* value);

  /// The newest object, freed or not, that holds the address.
  std::optional<Object> Find(const void* address) const;

  /// Starts of the live ones.
  std::vector<const void*> Live() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::uintptr_t, Object> objects_;
};

}  // namespace kfdcts::falsify
