// XNACK off: an access outside what is mapped is a fault at once.
#include "suites/xnack/xnack_test.h"

namespace kfdcts::suites {
namespace {

enum class Target {
  kHole,     ///< Nothing mapped.
  kNoRange,  ///< Memory that nobody registered.
  kRangeWithoutAccess,
  kRevoked,  ///< A range that had access.
  kBehindTheRange,
  kUnmapped,  ///< Of a range that had access.
};

struct FaultCase {
  std::string_view name;
  Target target;
  bool write;
  Engine engine;
};

constexpr FaultCase kFaults[] = {
    {"hole_read", Target::kHole, false, Engine::kSdma},
    {"hole_write", Target::kHole, true, Engine::kSdma},
    {"hole_write_pm4", Target::kHole, true, Engine::kPm4},
    {"no_range_read", Target::kNoRange, false, Engine::kSdma},
    {"no_range_write", Target::kNoRange, true, Engine::kSdma},
    {"no_range_read_pm4", Target::kNoRange, false, Engine::kPm4},
    {"range_without_access_read", Target::kRangeWithoutAccess, false, Engine::kSdma},
    {"range_without_access_write", Target::kRangeWithoutAccess, true, Engine::kSdma},
    {"revoked_read", Target::kRevoked, false, Engine::kSdma},
    {"revoked_write", Target::kRevoked, true, Engine::kSdma},
    {"behind_the_range_write", Target::kBehindTheRange, true, Engine::kSdma},
    {"unmapped_write", Target::kUnmapped, true, Engine::kSdma},
};

class FaultsOff : public XnackTest {
 protected:
  /// Makes page 3 what it is to be.
  void Arrange(Target target) {
    memory_.FillPattern(1);
    const HSAuint32 node = gpu().node_id;
    switch (target) {
      case Target::kHole:
        memory_.Unmap(3, 1);
        break;
      case Target::kNoRange:
        break;
      case Target::kRangeWithoutAccess:
        ASSERT_EQ(Set(memory_.All(), {}), HSAKMT_STATUS_SUCCESS);
        break;
      case Target::kRevoked:
        ASSERT_EQ(Set(memory_.All(), {Access(node)}), HSAKMT_STATUS_SUCCESS);
        ASSERT_EQ(Set(memory_.All(), {NoAccess(node)}), HSAKMT_STATUS_SUCCESS);
        break;
      case Target::kBehindTheRange:
        ASSERT_EQ(Set(memory_.Pages(0, 3), {Access(node)}), HSAKMT_STATUS_SUCCESS);
        break;
      case Target::kUnmapped:
        ASSERT_EQ(Set(memory_.All(), {Access(node)}), HSAKMT_STATUS_SUCCESS);
        memory_.Unmap(3, 1);
        break;
    }
  }

  SvmMemory& memory_ = Own(8);
};

}  // namespace

KFD_TEST_CASES_F(XNACK, FaultsAtOnce, FaultsOff, kFaults,
                 .property =
                     "with XNACK off an access outside what is mapped for the GPU is a "
                     "memory exception with its address; no fault handling begins",
                 .rules = "XNK-8", .scope = Scope::kFirstGpu, .needs = {Capability::kSvm},
                 .process = Process::kFresh, .xnack = Xnack::kOff) {
  ASSERT_NO_FATAL_FAILURE(Arrange(param().target));
  GpuWork& work = Work(0, param().engine);
  EventLog events(thunk(), gpu());
  std::uint32_t* const bad = memory_.Word(3) + 2;
  std::uint32_t value = 0;
  ExpectFault(param().write ? work.Write(bad, 7) : work.Read(bad, value), bad, param().write);
  EXPECT_EQ(events.Count(KFD_SMI_EVENT_PAGE_FAULT_START), 0U) << events.Text();
  EXPECT_EQ(events.Count(KFD_SMI_EVENT_MIGRATE_START), 0U) << events.Text();
  memory_.ExpectPattern(1, 0, 3);
  memory_.ExpectPattern(1, 4, 4);
}

KFD_TEST_F(XNACK, AccessOfOneGpuIsNotAnothers, FaultsOff,
           .property = "with XNACK off a range that one GPU may access is a fault for another",
           .rules = "XNK-8 XNK-9", .scope = Scope::kEachGpuPair, .needs = {Capability::kSvm},
           .process = Process::kFresh, .xnack = Xnack::kOff) {
  memory_.FillPattern(1);
  ASSERT_EQ(Set(memory_.All(), {Access(gpu(0).node_id)}), HSAKMT_STATUS_SUCCESS);
  ASSERT_TRUE(Done(Work(0).Write(memory_.Word(3), 7)));
  ExpectFault(Work(1).Write(memory_.Word(3), 8), memory_.Word(3), true, 1);
  EXPECT_EQ(*memory_.Word(3), 7U);
}

}  // namespace kfdcts::suites
