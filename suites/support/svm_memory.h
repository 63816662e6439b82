#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace kfdcts::suites {

/// Whole pages of this process: a mapping that the kernel's SVM can be asked about. An
/// inaccessible page before and behind keeps it apart from whatever is mapped next to it, and one
/// set over all of it makes one range (unless it is larger than the kernel's largest range).
/// Unmapped at the end, what of it is still there. Construction throws std::system_error.
class SvmMemory {
 public:
  enum class Kind {
    kAnonymous,    ///< Private.
    kShared,       ///< Anonymous, MAP_SHARED.
    kFilePrivate,  ///< Of a temporary file that has no name any more.
    kFileShared,
    kHuge,  ///< Private, aligned to 2 MiB, MADV_HUGEPAGE.
  };

  explicit SvmMemory(std::size_t pages, Kind kind = Kind::kAnonymous);
  ~SvmMemory();
  SvmMemory(const SvmMemory&) = delete;
  SvmMemory& operator=(const SvmMemory&) = delete;

  std::size_t page_count() const { return gone_.size(); }
  std::span<std::byte> All() const;
  /// Pages [first, first + count).
  std::span<std::byte> Pages(std::size_t first, std::size_t count = 1) const;
  /// The first 32 bits of a page.
  std::uint32_t* Word(std::size_t page) const;

  /// Gives every 32-bit word of every page a value of its own that depends on `seed`.
  void FillPattern(std::uint32_t seed) const;
  /// Fails the test, naming the first wrong word, where a page of [first, first + count) does not
  /// hold the pattern. Reads by the CPU: what is on a GPU comes back.
  void ExpectPattern(std::uint32_t seed, std::size_t first, std::size_t count) const;
  void ExpectPattern(std::uint32_t seed) const { ExpectPattern(seed, 0, page_count()); }

  /// munmap(2) of pages; they are no more this object's. Throws std::system_error.
  void Unmap(std::size_t first, std::size_t count);
  /// mremap(2) of pages over all of `target`, which may be larger; they are no more this object's.
  /// False, with errno set, where the kernel does not.
  bool MoveTo(std::size_t first, std::size_t count, const SvmMemory& target);

  /// All objects of this process, in the order of their making.
  static std::vector<std::span<const std::byte>> Living();

 private:
  void Forget(std::size_t first, std::size_t count);

  std::byte* start_ = nullptr;
  std::vector<bool> gone_;  // one a page
};

/// New anonymous memory in place of what is mapped at `pages`, in one call with its end.
/// `protection` is mmap's PROT_*. Throws std::system_error.
void MapAnew(std::span<std::byte> pages, int protection = PROT_READ | PROT_WRITE);

/// Where the pages are by /proc/self/pagemap, one letter a page: 'm' system memory, 'v' on a GPU
/// (device private: needs swap off), '.' never touched. "mmvv..".
std::string Residency(std::span<const std::byte> pages);

}  // namespace kfdcts::suites
