#pragma once

#include <filesystem>
#include <vector>

#include "harness/run/event.h"
#include "harness/vm/base/unique_fd.h"

namespace kfdcts::harness {

/// Follows an event file that another process, or a guest, appends to.
class EventTail {
 public:
  /// The file need not exist yet, its folder must. Throws std::system_error.
  explicit EventTail(std::filesystem::path file);

  /// Readable when the file may have grown.
  int wake_fd() const { return inotify_.get(); }

  /// What has come since the last call. Throws std::runtime_error for a broken stream.
  std::vector<Event> Read();

 private:
  std::filesystem::path file_;
  vm::UniqueFd inotify_;
  vm::UniqueFd stream_;
  EventReader reader_;
};

}  // namespace kfdcts::harness
