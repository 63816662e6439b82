#pragma once

#include <memory>
#include <string>
#include <vector>

#include "harness/gpu/gem.h"
#include "harness/gpu/memory.h"
#include "suites/fake_offset/offset_source.h"
#include "suites/support/memory_test.h"

namespace kfdcts::suites {

/// Offsets begin here, above what a 32-bit process could ask for on its own.
inline constexpr std::uint64_t kFirstOffset = std::uint64_t{1} << 32;

/// Fixture of the tests about mmap offsets: makes objects of the source that the test is named
/// after.
class OffsetTest : public MemoryTest {
 protected:
  void TearDown() override;

  /// Made at the first call. Skips the test where the source does not work here.
  OffsetSource& source();

  UniqueFd Open() { return source().Open(); }
  Buffer Make(const UniqueFd& file, std::size_t pages = 3) {
    return {source(), file, pages * PageSize()};
  }

  /// Whether a new object of that size gets this offset, as it does where it was just freed.
  bool IsFree(const UniqueFd& file, std::uint64_t offset, std::size_t pages = 3) {
    return Make(file, pages).Offset() == offset;
  }

  /// Runs `body` in a forked child that must pass.
  static void InChild(const std::function<void()>& body);

 private:
  std::unique_ptr<OffsetSource> source_;
};

/// The same test on each source of the first GPU, whose kind is all that matters here, and on vgem
/// where there is one.
bool AddOffsetTest(const char* name, const char* file, int line, const harness::TestSpec& spec,
                   const std::function<harness::KfdTest*()>& make);

}  // namespace kfdcts::suites

/// FakeOffset.NAME/gem_vram/gpu0, …, FakeOffset.NAME/vgem/cpu.
#define OFFSET_TEST(name, ...) OFFSET_TEST_F(name, ::kfdcts::suites::OffsetTest, __VA_ARGS__)

#define OFFSET_TEST_F(name, fixture, ...)                                             \
  class KFDCTS_TEST_CLASS(FakeOffset, name) : public fixture {                        \
    void Body() override;                                                             \
  };                                                                                  \
  static const bool FakeOffset_##name##_registered = ::kfdcts::suites::AddOffsetTest( \
      #name, __FILE__, __LINE__, ::kfdcts::harness::TestSpec{__VA_ARGS__},            \
      [] { return new KFDCTS_TEST_CLASS(FakeOffset, name); });                        \
  void KFDCTS_TEST_CLASS(FakeOffset, name)::Body()
