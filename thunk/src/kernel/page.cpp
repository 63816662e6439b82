#include "thunk/src/kernel/page.h"

#include <unistd.h>

namespace kfdcts::thunk {

std::uint64_t PageSize() {
  static const auto size = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return size;
}

std::uint64_t RoundUpToPage(std::uint64_t size) { return (size + PageSize() - 1) & -PageSize(); }

std::uint64_t OffsetInPage(std::uint64_t address) { return address & (PageSize() - 1); }

}  // namespace kfdcts::thunk
