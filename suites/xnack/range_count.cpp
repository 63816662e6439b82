// How many ranges faults make.
#include "suites/xnack/xnack_test.h"

namespace kfdcts::suites {

KFD_TEST_F(XNACK, FaultsOfOneRangeMakeOneRange, XnackTest,
           .property = "faults in one granule make one range, in another granule a second",
           .rules = "XNK-3", .scope = Scope::kFirstGpu,
           .needs = {Capability::kSvm, Capability::kRangeCount}, .process = Process::kFresh,
           .xnack = Xnack::kOn) {
  const SvmMemory memory(3 * kGranule);
  const std::size_t base = FirstGranule(memory);
  memory.FillPattern(1);
  Work();
  const std::size_t before = RangeCount();
  for (const std::size_t page : {200U, 201U, 0U, 511U}) {
    ASSERT_TRUE(Done(Work().Write(memory.Word(base + page), 1)));
    EXPECT_EQ(RangeCount(), before + 1) << page;
  }
  ASSERT_TRUE(Done(Work().Write(memory.Word(base + 512), 1)));
  EXPECT_EQ(RangeCount(), before + 2);
}

KFD_TEST_F(XNACK, FaultMakesNoRange, XnackTest, .property = "with XNACK off a fault makes no range",
           .rules = "XNK-8", .scope = Scope::kFirstGpu,
           .needs = {Capability::kSvm, Capability::kRangeCount}, .process = Process::kFresh,
           .xnack = Xnack::kOff) {
  const SvmMemory memory(8);
  memory.FillPattern(1);
  Work();
  const std::size_t before = RangeCount();
  ExpectFault(Work().Write(memory.Word(3), 7), memory.Word(3), true);
  EXPECT_EQ(RangeCount(), before);
  EXPECT_EQ(StateOf(memory.All()), Defaults());
}

}  // namespace kfdcts::suites
