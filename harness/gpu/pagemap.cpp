#include "harness/gpu/pagemap.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/gpu/error.h"
#include "harness/gpu/memory.h"
#include "harness/gpu/unique_fd.h"

namespace kfdcts::gpu {

void CountEntry(std::uint64_t entry, PageCounts& counts) {
  constexpr std::uint64_t kPresent = 1ULL << 63, kSwapped = 1ULL << 62;
  if ((entry & kPresent) != 0) {
    ++counts.present;
  } else if ((entry & kSwapped) != 0) {
    ++counts.swapped;
  } else {
    ++counts.absent;
  }
}

namespace {

std::vector<std::uint64_t> ReadEntries(std::span<const std::byte> range) {
  const UniqueFd pagemap(open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC));
  if (!pagemap.valid()) throw GpuError(errno, "open /proc/self/pagemap");
  const std::uint64_t first = reinterpret_cast<std::uint64_t>(range.data()) / kPageBytes;
  const std::uint64_t end =
      (reinterpret_cast<std::uint64_t>(range.data()) + range.size() + kPageBytes - 1) / kPageBytes;
  std::vector<std::uint64_t> entries(end - first);
  std::size_t done = 0;
  while (done < entries.size() * 8) {
    const ssize_t got = pread(pagemap.get(), reinterpret_cast<std::byte*>(entries.data()) + done,
                              entries.size() * 8 - done, static_cast<off_t>(first * 8 + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) throw GpuError(got < 0 ? errno : EIO, "read /proc/self/pagemap");
    done += static_cast<std::size_t>(got);
  }
  return entries;
}

}  // namespace

PageCounts CountPages(std::span<const std::byte> range) {
  PageCounts counts;
  for (const std::uint64_t entry : ReadEntries(range)) CountEntry(entry, counts);
  return counts;
}

std::string PageLetters(std::span<const std::byte> pages) {
  std::string letters;
  for (const std::uint64_t entry : ReadEntries(pages)) {
    PageCounts one;
    CountEntry(entry, one);
    letters += one.present != 0 ? 'm' : one.swapped != 0 ? 'v' : '.';
  }
  return letters;
}

bool SwapIsOff() {
  std::ifstream swaps("/proc/swaps");
  if (!swaps.is_open() && errno == ENOENT) return true;  // a kernel built without swap
  std::string line;
  if (!std::getline(swaps, line)) throw std::runtime_error("/proc/swaps cannot be read");
  return !std::getline(swaps, line);
}

}  // namespace kfdcts::gpu
