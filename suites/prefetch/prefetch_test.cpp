#include "suites/prefetch/prefetch_test.h"

#include <linux/kfd_ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <fstream>
#include <sstream>

#include "harness/gpu/memory.h"
#include "suites/support/event_log.h"

namespace kfdcts::suites {
namespace {

constexpr std::uint32_t kSeed = 1;  // of the pattern: the tests tell pages apart, not buffers

std::size_t FirstMultiple(const std::byte* start, std::size_t pages) {
  const std::size_t step = pages * PageSize();
  const std::size_t over = reinterpret_cast<std::uintptr_t>(start) % step;
  return over == 0 ? 0 : (step - over) / PageSize();
}

// Says page and byte where two views of some pages differ.
void ExpectSame(std::span<const std::byte> seen, std::span<const std::byte> expected,
                std::size_t first_page, std::string_view reader) {
  ASSERT_EQ(seen.size(), expected.size());
  const auto differ = std::mismatch(seen.begin(), seen.end(), expected.begin());
  if (differ.first == seen.end()) return;
  const auto at = static_cast<std::size_t>(differ.first - seen.begin());
  ADD_FAILURE() << reader << " reads 0x" << std::hex << std::to_integer<int>(seen[at])
                << " instead of 0x" << std::to_integer<int>(expected[at]) << " at byte 0x"
                << at % PageSize() << std::dec << " of page " << first_page + at / PageSize();
}

const char* TriggerName(std::uint32_t trigger) {
  switch (trigger) {
    case KFD_MIGRATE_TRIGGER_PREFETCH:
      return "prefetch";
    case KFD_MIGRATE_TRIGGER_PAGEFAULT_GPU:
      return "gpu_fault";
    case KFD_MIGRATE_TRIGGER_PAGEFAULT_CPU:
      return "cpu_fault";
    case KFD_MIGRATE_TRIGGER_TTM_EVICTION:
      return "eviction";
    default:
      return "unknown trigger";
  }
}

}  // namespace

MigratedBuffer::MigratedBuffer(std::size_t pages, SvmMemory::Kind kind, bool touched)
    : pages_(pages),
      memory_(pages + std::bit_ceil(pages), kind),
      first_(FirstMultiple(memory_.All().data(), std::bit_ceil(pages))),
      expected_(pages * PageSize()) {
  if (!touched) return;
  gpu::FillPattern(expected_, kSeed);
  gpu::FillPattern(All(), kSeed);
}

std::span<std::byte> MigratedBuffer::Pages(std::size_t first, std::size_t count) const {
  return memory_.Pages(first_ + first, count);
}

std::span<const std::byte> MigratedBuffer::Expected(std::size_t first, std::size_t count) const {
  return std::span(expected_).subspan(first * PageSize(), count * PageSize());
}

std::uint32_t MigratedBuffer::ExpectedWord(std::size_t page) const {
  std::uint32_t word = 0;
  std::memcpy(&word, &expected_[page * PageSize()], sizeof word);
  return word;
}

void MigratedBuffer::Expect(std::size_t page, std::uint32_t word) {
  std::memcpy(&expected_[page * PageSize()], &word, sizeof word);
}

void MigratedBuffer::ExpectZero(std::size_t first, std::size_t count) {
  std::memset(&expected_[first * PageSize()], 0, count * PageSize());
}

void MigratedBuffer::Write(std::size_t page, std::uint32_t word) {
  gpu::StoreRelease(Word(page), word);
  Expect(page, word);
}

void MigratedBuffer::ExpectIntact(std::size_t first, std::size_t count) const {
  ExpectSame(Pages(first, count), Expected(first, count), first, "the CPU");
}

std::string InVram(std::size_t pages) { return std::string(pages, 'v'); }

std::string InSystemMemory(std::size_t pages) { return std::string(pages, 'm'); }

std::vector<Piece> PiecesOf(std::string_view mask, char letter) {
  std::vector<Piece> pieces;
  for (std::size_t at = mask.find(letter); at < mask.size(); at = mask.find(letter, at)) {
    const std::size_t end = std::min(mask.find_first_not_of(letter, at), mask.size());
    pieces.push_back({at, end - at});
    at = end;
  }
  return pieces;
}

void PrefetchTest::Allow(std::span<std::byte> pages, std::initializer_list<HSAuint32> nodes) const {
  std::vector<HSA_SVM_ATTRIBUTE> attributes;
  for (const HSAuint32 one : nodes) attributes.push_back(Access(one));
  EXPECT_EQ(Set(pages, attributes), HSAKMT_STATUS_SUCCESS);
}

void PrefetchTest::MoveTo(std::span<std::byte> pages, HSAuint32 node) const {
  EXPECT_EQ(Set(pages, {Prefetch(node)}), HSAKMT_STATUS_SUCCESS);
}

void PrefetchTest::ExpectGpuReads(const MigratedBuffer& buffer, std::size_t first,
                                  std::size_t count, std::size_t gpu_index, Engine engine) {
  std::vector<std::byte> seen(count * PageSize());
  const WorkResult result = Work(gpu_index, engine).Read(buffer.Pages(first, count).data(), seen);
  ASSERT_TRUE(result) << result.Text();
  ExpectSame(seen, buffer.Expected(first, count), first, "gpu" + std::to_string(gpu_index));
}

void PrefetchTest::GpuWrites(MigratedBuffer& buffer, std::size_t page, std::uint32_t word,
                             std::size_t gpu_index, Engine engine) {
  const WorkResult result = Work(gpu_index, engine).Write(buffer.Word(page), word);
  EXPECT_TRUE(result) << result.Text();
  buffer.Expect(page, word);
}

std::string PrefetchTest::PlaceName(std::uint32_t gpu_id) const {
  if (gpu_id == 0) return "system";
  if (gpu_id == gpu(0).gpu_id) return "gpu";
  if (gpus().size() > 1 && gpu_id == gpu(1).gpu_id) return "other";
  return "gpu_id " + std::to_string(gpu_id);
}

std::vector<std::string> PrefetchTest::Migrations(SmiWatch& watch,
                                                  const MigratedBuffer& buffer) const {
  const auto start = reinterpret_cast<std::uintptr_t>(buffer.All().data());
  std::vector<std::string> migrations;
  for (const gpu::SmiEvent& event : watch.Drain()) {
    if (event.address < start || event.address >= start + buffer.All().size()) continue;
    const std::size_t first = (event.address - start) / PageSize();
    std::ostringstream line;
    line << (event.type == KFD_SMI_EVENT_MIGRATE_START ? "start " : "end ") << first << '-'
         << first + event.bytes / PageSize() - 1 << ' ' << PlaceName(event.from) << '>'
         << PlaceName(event.to) << ' ' << TriggerName(event.trigger);
    migrations.push_back(line.str());
  }
  return migrations;
}

SmiWatch PrefetchTest::WatchMigrations(std::size_t gpu_index) const {
  return SmiWatch(thunk(), gpu(gpu_index), kMigrationEvents);
}

std::uint64_t PrefetchTest::Counter(std::size_t gpu_index, const char* name) const {
  const std::string path = "/sys/class/kfd/kfd/proc/" + std::to_string(getpid()) + "/counters_" +
                           std::to_string(gpu(gpu_index).gpu_id) + "/" + name;
  std::ifstream file(path);
  std::uint64_t value = 0;
  if (!(file >> value)) throw harness::CapabilityMissing("migration-counters", "no " + path);
  return value;
}

std::uint64_t PrefetchTest::PagesIn(std::size_t gpu_index) const {
  return Counter(gpu_index, "page_in");
}

std::uint64_t PrefetchTest::PagesOut(std::size_t gpu_index) const {
  return Counter(gpu_index, "page_out");
}

}  // namespace kfdcts::suites
