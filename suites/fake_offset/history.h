#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace kfdcts::suites {

/// What a process of a random history does. Processes, files, buffers, dma-bufs and mappings have
/// numbers of the history's own, never given twice, so that a history with steps left out can still
/// be played: what is about something that is not there is left out, too.
struct Step {
  enum class Kind : std::uint8_t {
    kOpen,         ///< process opens the device as `file`.
    kCloseFile,    ///< process closes its descriptor of `file`.
    kCreate,       ///< process makes `buffer` of `pages` by `file`.
    kAsk,          ///< process asks `file` for the offset of `buffer`.
    kMap,          ///< process maps all of `buffer` by `file`, as mapping `thing`.
    kMapFirst,     ///< … its first page.
    kMapInside,    ///< … from its second page on.
    kMapPast,      ///< … one page more than it has.
    kUnmap,        ///< process unmaps its mapping `thing`.
    kExport,       ///< process exports `buffer` of `file` as dma-buf `thing`.
    kPass,         ///< process passes dma-buf `thing` to process `other`.
    kImport,       ///< process imports dma-buf `thing` into `file`.
    kCloseDmaBuf,  ///< process closes its descriptor of dma-buf `thing`.
    kCloseHandle,  ///< process closes the oldest handle of `buffer` in `file`.
    kFork,         ///< process forks process `other`.
    kDie,          ///< process is killed.
  };

  Kind kind = Kind::kOpen;
  int process = 0;
  int file = 0;
  int buffer = 0;
  int thing = 0;
  int other = 0;
  int pages = 0;
};
static_assert(std::is_trivially_copyable_v<Step>);

inline constexpr int kStepKinds = static_cast<int>(Step::Kind::kDie) + 1;

using History = std::vector<Step>;

/// "process 1 maps buffer 4 by file 2 as mapping 7".
std::string Text(const Step& step);

/// A line each.
std::string Text(const History& history);

}  // namespace kfdcts::suites
