#pragma once

#include <memory>

#include "suites/xnack/change.h"
#include "suites/xnack/xnack_test.h"

namespace kfdcts::suites {

/// Fixture of tests in which the CPU's page tables change under memory that a GPU has mapped; what
/// both XNACK modes have to keep.
class ChangesTest : public XnackTest {
 protected:
  static constexpr std::size_t kPages = 8;
  static constexpr std::uint32_t kSeed = 7;  ///< Of memory_'s pattern.

  /// After `change` was made to memory_, which held the pattern: the GPU reads on every page what
  /// the CPU reads there, the CPU reads what the GPU writes, and what the change keeps is kept.
  void ExpectSameOnBothSides(const Change& change) {
    for (std::size_t page = 0; page < kPages; ++page) {
      EXPECT_EQ(GpuRead(memory_.Word(page) + 3), memory_.Word(page)[3]) << page;
    }
    ASSERT_TRUE(Done(Work().Write(memory_.Word(2), 0x77)));
    EXPECT_EQ(*memory_.Word(2), 0x77U);
    if (change.keeps_data) memory_.ExpectPattern(kSeed, 3, 5);
    EXPECT_EQ(memory_.Word(3)[5] == 0, !change.keeps_data);
  }

  /// Ten times: what the CPU writes right after a change is what the GPU reads next, and the other
  /// way round.
  void ChangeAndWrite(const Change& change) {
    for (std::uint32_t round = 1; round <= 10; ++round) {
      const std::shared_ptr<void> made = change.make(memory_.All());
      *memory_.Word(4) = round;
      EXPECT_EQ(GpuRead(memory_.Word(4)), round);
      ASSERT_TRUE(Done(Work().Write(memory_.Word(5), round)));
      EXPECT_EQ(*memory_.Word(5), round);
    }
  }

  SvmMemory& memory_ = Own(kPages);
};

}  // namespace kfdcts::suites
