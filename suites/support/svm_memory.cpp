#include "suites/support/svm_memory.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <system_error>

#include "harness/gpu/memory.h"
#include "harness/gpu/pagemap.h"
#include "harness/gpu/unique_fd.h"
#include "suites/support/memory.h"

namespace kfdcts::suites {
namespace {

constexpr std::size_t kHugeAlignment = std::size_t{2} << 20;

[[noreturn]] void Fail(const char* call) {
  throw std::system_error(errno, std::generic_category(), call);
}

std::byte* Reserve(std::size_t bytes) {
  void* const start = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) Fail("mmap");
  return static_cast<std::byte*>(start);
}

constexpr std::uintptr_t AlignUp(std::uintptr_t address, std::size_t alignment) {
  return (address + alignment - 1) / alignment * alignment;
}

/// `bytes` at a multiple of `alignment`, with a page before and behind, all inaccessible. Where
/// 2 MiB or the next power of two hold them, they cross no multiple of that: the kernel cuts new
/// ranges at the multiples of its largest range (max_svm_range_pages, by VRAM and at least 2 MiB),
/// and tests count ranges. Returns the address behind the first page.
std::byte* ReserveGuarded(std::size_t bytes, std::size_t alignment) {
  const std::size_t page = PageSize();
  const std::size_t unit = std::max(kHugeAlignment, std::bit_ceil(bytes));
  const std::size_t whole = bytes + unit + 2 * page;
  std::byte* const reserved = Reserve(whole);
  const auto first = reinterpret_cast<std::uintptr_t>(reserved) + page;
  auto address = AlignUp(first, alignment);
  if (address / unit != (address + bytes - 1) / unit) address = AlignUp(first, unit);
  std::byte* const start = reserved + page + (address - first);
  std::byte* const end = start + bytes + page;
  if (start - page > reserved) {
    munmap(reserved, static_cast<std::size_t>(start - page - reserved));
  }
  if (reserved + whole > end) munmap(end, static_cast<std::size_t>(reserved + whole - end));
  return start;
}

gpu::UniqueFd TemporaryFile(std::size_t bytes) {
  std::string name = std::filesystem::temp_directory_path() / "kfdcts.XXXXXX";
  gpu::UniqueFd file(mkostemp(name.data(), O_CLOEXEC));
  if (!file.valid()) Fail("mkostemp");
  unlink(name.c_str());
  if (ftruncate(file.get(), static_cast<off_t>(bytes)) != 0) Fail("ftruncate");
  return file;
}

void MapOver(std::byte* start, std::size_t bytes, SvmMemory::Kind kind) {
  using Kind = SvmMemory::Kind;
  const bool of_file = kind == Kind::kFilePrivate || kind == Kind::kFileShared;
  const bool shared = kind == Kind::kShared || kind == Kind::kFileShared;
  const gpu::UniqueFd file = of_file ? TemporaryFile(bytes) : gpu::UniqueFd();
  const int flags = MAP_FIXED | (shared ? MAP_SHARED : MAP_PRIVATE) | (of_file ? 0 : MAP_ANONYMOUS);
  if (mmap(start, bytes, PROT_READ | PROT_WRITE, flags, of_file ? file.get() : -1, 0) ==
      MAP_FAILED) {
    Fail("mmap");
  }
  // A kernel without huge pages refuses; the memory is good all the same.
  if (kind == Kind::kHuge) madvise(start, bytes, MADV_HUGEPAGE);
}

std::mutex& LivingMutex() {
  static std::mutex mutex;
  return mutex;
}

std::vector<const SvmMemory*>& LivingList() {
  static std::vector<const SvmMemory*> list;
  return list;
}

}  // namespace

SvmMemory::SvmMemory(std::size_t pages, Kind kind) : gone_(pages) {
  const std::size_t bytes = pages * PageSize();
  start_ = ReserveGuarded(bytes, kind == Kind::kHuge ? kHugeAlignment : PageSize());
  try {
    MapOver(start_, bytes, kind);
  } catch (...) {
    munmap(start_ - PageSize(), bytes + 2 * PageSize());
    throw;
  }
  const std::lock_guard lock(LivingMutex());
  LivingList().push_back(this);
}

SvmMemory::~SvmMemory() {
  {
    const std::lock_guard lock(LivingMutex());
    std::erase(LivingList(), this);
  }
  const std::size_t page = PageSize();
  munmap(start_ - page, page);
  for (std::size_t first = 0; first < gone_.size();) {
    std::size_t end = first + 1;
    while (end < gone_.size() && gone_[end] == gone_[first]) ++end;
    if (!gone_[first]) munmap(start_ + first * page, (end - first) * page);
    first = end;
  }
  munmap(start_ + gone_.size() * page, page);
}

std::span<std::byte> SvmMemory::All() const { return {start_, gone_.size() * PageSize()}; }

std::span<std::byte> SvmMemory::Pages(std::size_t first, std::size_t count) const {
  return All().subspan(first * PageSize(), count * PageSize());
}

std::uint32_t* SvmMemory::Word(std::size_t page) const {
  return reinterpret_cast<std::uint32_t*>(Pages(page).data());
}

void SvmMemory::FillPattern(std::uint32_t seed) const { gpu::FillPattern(All(), seed); }

void SvmMemory::ExpectPattern(std::uint32_t seed, std::size_t first, std::size_t count) const {
  const std::size_t end = (first + count) * PageSize();
  for (std::size_t offset = first * PageSize(); offset < end; offset += sizeof(std::uint32_t)) {
    std::uint32_t word = 0;
    std::memcpy(&word, start_ + offset, sizeof word);
    const std::uint32_t expected = gpu::PatternWord(offset, seed);
    if (word == expected) continue;
    ADD_FAILURE() << std::hex << "the word at offset 0x" << offset << " (page " << std::dec
                  << offset / PageSize() << ") is 0x" << std::hex << word << ", not 0x" << expected;
    return;
  }
}

void SvmMemory::Unmap(std::size_t first, std::size_t count) {
  const auto pages = Pages(first, count);
  if (munmap(pages.data(), pages.size()) != 0) Fail("munmap");
  Forget(first, count);
}

bool SvmMemory::MoveTo(std::size_t first, std::size_t count, const SvmMemory& target) {
  const auto from = Pages(first, count), to = target.All();
  if (mremap(from.data(), from.size(), to.size(), MREMAP_MAYMOVE | MREMAP_FIXED, to.data()) ==
      MAP_FAILED) {
    return false;
  }
  Forget(first, count);
  return true;
}

void SvmMemory::Forget(std::size_t first, std::size_t count) {
  for (std::size_t page = first; page < first + count; ++page) gone_.at(page) = true;
}

std::vector<std::span<const std::byte>> SvmMemory::Living() {
  const std::lock_guard lock(LivingMutex());
  std::vector<std::span<const std::byte>> all;
  for (const SvmMemory* memory : LivingList()) all.emplace_back(memory->All());
  return all;
}

void MapAnew(std::span<std::byte> pages, int protection) {
  if (mmap(pages.data(), pages.size(), protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
           0) == MAP_FAILED) {
    Fail("mmap");
  }
}

std::string Residency(std::span<const std::byte> pages) { return gpu::PageLetters(pages); }

}  // namespace kfdcts::suites
