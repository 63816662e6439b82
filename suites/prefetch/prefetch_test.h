#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "suites/support/svm_test.h"

namespace kfdcts::suites {

using harness::Xnack;

/// Memory with known contents that the tests move about. It begins at a multiple of its page count,
/// rounded up to a power of two: windows of a granularity are then easily said, and the kernel cuts
/// no range of it at its largest range size.
class MigratedBuffer {
 public:
  /// Every page is written, unless `touched` says otherwise.
  explicit MigratedBuffer(std::size_t pages, SvmMemory::Kind kind = SvmMemory::Kind::kAnonymous,
                          bool touched = true);

  std::size_t page_count() const { return pages_; }
  std::span<std::byte> All() const { return Pages(0, pages_); }
  std::span<std::byte> Pages(std::size_t first, std::size_t count = 1) const;
  std::uint32_t* Word(std::size_t page) const { return memory_.Word(first_ + page); }

  /// What the bytes of pages are to be.
  std::span<const std::byte> Expected(std::size_t first, std::size_t count) const;
  /// The first word that a page is to have.
  std::uint32_t ExpectedWord(std::size_t page) const;
  /// From now on the first word of a page is to be this, as the CPU or a GPU writes it.
  void Expect(std::size_t page, std::uint32_t word);
  /// From now on pages are to be zero.
  void ExpectZero(std::size_t first, std::size_t count);
  /// Writes it by the CPU, too.
  void Write(std::size_t page, std::uint32_t word);

  /// The CPU reads pages, which brings them back from a GPU, and fails the test where they do not
  /// hold what they are to hold.
  void ExpectIntact(std::size_t first, std::size_t count) const;
  void ExpectIntact() const { ExpectIntact(0, pages_); }

  std::string Where() const { return Residency(All()); }
  std::string Where(std::size_t first, std::size_t count) const {
    return Residency(Pages(first, count));
  }

  /// munmap(2).
  void Unmap(std::size_t first, std::size_t count) { memory_.Unmap(first_ + first, count); }

 private:
  std::size_t pages_;
  SvmMemory memory_;
  std::size_t first_;
  std::vector<std::byte> expected_;
};

/// "vvvv…": the residency of pages that are all on a GPU, or all in system memory.
std::string InVram(std::size_t pages);
std::string InSystemMemory(std::size_t pages);

/// A piece of a buffer, in pages.
struct Piece {
  std::size_t first;
  std::size_t count;
};

/// Where a mask has a letter: the pieces "vv" of "vvmmvm" are {0, 2} and {4, 1}.
std::vector<Piece> PiecesOf(std::string_view mask, char letter);

/// Fixture of the suite about migration.
class PrefetchTest : public SvmTest {
 protected:
  HSAuint32 node(std::size_t index = 0) const { return gpu(index).node_id; }

  /// Lets GPUs access pages, which makes a range of them; a failure fails the test.
  void Allow(std::span<std::byte> pages, std::initializer_list<HSAuint32> nodes) const;
  /// Prefetches and fails the test where that is no success.
  void MoveTo(std::span<std::byte> pages, HSAuint32 node) const;

  /// The GPU reads pages; a byte that is not as expected fails the test.
  void ExpectGpuReads(const MigratedBuffer& buffer, std::size_t first, std::size_t count,
                      std::size_t gpu_index = 0, Engine engine = Engine::kSdma);
  void ExpectGpuReads(const MigratedBuffer& buffer, std::size_t gpu_index = 0,
                      Engine engine = Engine::kSdma) {
    ExpectGpuReads(buffer, 0, buffer.page_count(), gpu_index, engine);
  }
  /// The GPU writes the first word of a page, which is what is expected from then on.
  void GpuWrites(MigratedBuffer& buffer, std::size_t page, std::uint32_t word,
                 std::size_t gpu_index = 0, Engine engine = Engine::kSdma);

  /// The migrations of a buffer that a watch has seen since it was last asked, in the order of the
  /// events: "start 0-3 system>gpu prefetch", "end 0-3 system>gpu prefetch". The test's second GPU
  /// is "other".
  std::vector<std::string> Migrations(SmiWatch& watch, const MigratedBuffer& buffer) const;
  /// Watches the migrations of one of the test's GPUs.
  SmiWatch WatchMigrations(std::size_t gpu_index = 0) const;

  /// How many pages of this process the kernel has ever moved to a GPU, or from it. Skips the test
  /// where it does not tell.
  std::uint64_t PagesIn(std::size_t gpu_index = 0) const;
  std::uint64_t PagesOut(std::size_t gpu_index = 0) const;

 private:
  std::uint64_t Counter(std::size_t gpu_index, const char* name) const;
  std::string PlaceName(std::uint32_t gpu_id) const;
};

}  // namespace kfdcts::suites
