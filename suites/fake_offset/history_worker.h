#pragma once

#include <sys/types.h>

#include "suites/fake_offset/history.h"
#include "suites/fake_offset/offset_model.h"
#include "suites/fake_offset/offset_source.h"

namespace kfdcts::suites {

/// A step with what its worker cannot know. A descriptor may come with it: the dma-buf of kPass for
/// the process that gets it, the new worker's connection of kFork.
struct Request {
  Step step;
  std::uint64_t offset = 0;  ///< Of the buffer.
  std::uint64_t bytes = 0;   ///< Of the buffer.
  std::uint32_t handle = 0;  ///< Of the buffer in the file; 0: it has none.
  bool receives = false;     ///< kPass: this worker is the one that gets it.
};

/// What comes back; with kPass the dma-buf, if this worker gives it.
struct Response {
  Answer answer;
  pid_t child = 0;  ///< Of kFork.
};

/// Does what it is told until its connection ends, and then ends the process. For a forked child.
[[noreturn]] void Work(OffsetSource& source, UniqueFd connection);

}  // namespace kfdcts::suites
