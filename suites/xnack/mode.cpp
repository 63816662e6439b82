// The process's XNACK mode: asked and set.
#include <algorithm>
#include <cstdint>

#include "harness/test_support/child.h"
#include "harness/test_support/xnack_mode.h"
#include "suites/xnack/xnack_test.h"

namespace kfdcts::suites {
namespace {

class ModeTest : public XnackTest {
 protected:
  /// The mode in which another process starts, or -1.
  HSAint32 ModeOfAnotherProcess() {
    const SvmMemory answer(1, SvmMemory::Kind::kShared);
    *answer.Word(0) = static_cast<std::uint32_t>(-1);
    const harness::ChildResult child = harness::RunInChild([&] {
      OpenKfd();
      *answer.Word(0) = static_cast<std::uint32_t>(Mode());
    });
    EXPECT_TRUE(child.Passed()) << child.Describe();
    return static_cast<HSAint32>(*answer.Word(0));
  }

  /// What turning it on is to say: a mode that was on at the start can be had again.
  HSAKMT_STATUS OfTurningOn(HSAint32 mode_at_start) const {
    const auto& gpus = system_gpus();
    const bool can = mode_at_start == 1 ||
                     std::all_of(gpus.begin(), gpus.end(), [](const harness::GpuNode& one) {
                       return harness::HasXnackPerProcess(one.facts.Property("gfx_target_version"));
                     });
    return can ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_NOT_SUPPORTED;
  }
};

}  // namespace

KFD_TEST_F(XNACK, TurnedOff, XnackTest, .property = "the mode can be turned off, and reads 0 then",
           .rules = "XNK-1", .scope = Scope::kFirstGpu, .needs = {Capability::kSvm},
           .process = Process::kFresh) {
  ASSERT_EQ(thunk().hsaKmtSetXNACKMode(0), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Mode(), 0);
  EXPECT_EQ(thunk().hsaKmtSetXNACKMode(0), HSAKMT_STATUS_SUCCESS) << "off already";
  EXPECT_EQ(Mode(), 0);
}

KFD_TEST_F(XNACK, TurnedOnAgain, XnackTest,
           .property = "a mode that was on can be turned off and on, and reads what was set",
           .rules = "XNK-1", .scope = Scope::kFirstGpu, .needs = {Capability::kSvm},
           .process = Process::kFresh, .xnack = Xnack::kOn) {
  for (const HSAint32 mode : {0, 1, 1, 0, 1}) {
    ASSERT_EQ(thunk().hsaKmtSetXNACKMode(mode), HSAKMT_STATUS_SUCCESS) << mode;
    EXPECT_EQ(Mode(), mode);
  }
}

KFD_TEST_F(XNACK, TurnedOnNeedsEveryGpu, ModeTest,
           .property =
               "turning the mode on is NOT_SUPPORTED where one GPU cannot retry, and leaves "
               "it off",
           .rules = "XNK-1", .scope = Scope::kFirstGpu, .needs = {Capability::kSvm},
           .process = Process::kFresh, .xnack = Xnack::kOff) {
  const HSAint32 at_start = Mode();
  ASSERT_EQ(thunk().hsaKmtSetXNACKMode(0), HSAKMT_STATUS_SUCCESS);
  const HSAKMT_STATUS expected = OfTurningOn(at_start);
  EXPECT_EQ(thunk().hsaKmtSetXNACKMode(1), expected);
  EXPECT_EQ(Mode(), expected == HSAKMT_STATUS_SUCCESS ? 1 : 0);
}

KFD_TEST_F(XNACK, ModeIsOfTheProcess, ModeTest,
           .property = "a process that turned the mode off or on changes nothing for others",
           .rules = "XNK-1", .scope = Scope::kFirstGpu, .needs = {Capability::kSvm},
           .process = Process::kFresh, .xnack = Xnack::kOn) {
  const HSAint32 before = ModeOfAnotherProcess();
  ASSERT_GE(before, 0);
  ASSERT_EQ(thunk().hsaKmtSetXNACKMode(0), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(ModeOfAnotherProcess(), before);
  EXPECT_EQ(Mode(), 0);
  ASSERT_EQ(thunk().hsaKmtSetXNACKMode(1), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(ModeOfAnotherProcess(), before);
}

KFD_TEST_F(XNACK, RangesOutliveTheMode, XnackTest,
           .property =
               "a range keeps its access when the mode changes; where there is no range the "
               "defaults of the new mode hold",
           .rules = "XNK-1 XNK-9 SVM-4", .needs = {Capability::kSvm}, .process = Process::kFresh,
           .xnack = Xnack::kOn) {
  const SvmMemory memory(4);
  memory.FillPattern(1);
  ASSERT_EQ(Set(memory.Pages(0, 2), {}), HSAKMT_STATUS_SUCCESS);
  const SvmState with_access = Defaults();
  ASSERT_EQ(with_access.access.at(gpu().node_id), HSA_SVM_ATTR_ACCESS);
  ASSERT_EQ(thunk().hsaKmtSetXNACKMode(0), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(StateOf(memory.Pages(0, 2)), with_access);
  EXPECT_EQ(StateOf(memory.Pages(2, 2)), Defaults());
  EXPECT_EQ(Defaults().access.at(gpu().node_id), HSA_SVM_ATTR_NO_ACCESS);
}

KFD_TEST_F(XNACK, ModeNeedsKfd, XnackTest,
           .property = "without KFD open both calls say KERNEL_IO_CHANNEL_NOT_OPENED",
           .rules = "XNK-1", .scope = Scope::kCpu, .kfd = KfdState::kClosed,
           .process = Process::kFresh) {
  HSAint32 mode = -7;
  EXPECT_EQ(thunk().hsaKmtGetXNACKMode(&mode), HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
  EXPECT_EQ(mode, -7);
  EXPECT_EQ(thunk().hsaKmtSetXNACKMode(0), HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
}

}  // namespace kfdcts::suites
