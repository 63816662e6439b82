// The range that a retry fault makes.
#include "suites/xnack/xnack_test.h"

namespace kfdcts::suites {
namespace {

/// Pages of the memory, from the first granule on. The GPU touches one; [first, end) is the range
/// that comes of it.
struct RangeCase {
  std::string_view name;
  std::size_t hole_before, hole_behind;  ///< Pages [0, before) and [behind, 3 granules): unmapped.
  std::size_t range_before, range_behind;  ///< Likewise, but ranges of a Set.
  std::size_t touched;
  std::size_t first, end;
};

constexpr std::size_t kAll = 3 * kGranule;

constexpr RangeCase kRanges[] = {
    {"whole_granule", 0, kAll, 0, kAll, 700, 512, 1024},
    {"first_page", 0, kAll, 0, kAll, 512, 512, 1024},
    {"last_page", 0, kAll, 0, kAll, 1023, 512, 1024},
    {"mapping_begins_inside", 600, kAll, 0, kAll, 700, 600, 1024},
    {"mapping_ends_inside", 0, 800, 0, kAll, 700, 512, 800},
    {"one_page_mapped", 700, 701, 0, kAll, 700, 700, 701},
    {"range_before", 0, kAll, 650, kAll, 700, 650, 1024},
    {"range_behind", 0, kAll, 0, 701, 700, 512, 701},
    {"one_page_between_ranges", 0, kAll, 700, 701, 700, 700, 701},
    {"mapping_before_range_behind", 530, kAll, 0, 900, 700, 530, 900},
};

class FaultRange : public XnackTest {
 protected:
  /// Pages of `memory`, counted from its first granule.
  std::span<std::byte> Pages(std::size_t first, std::size_t count) const {
    return memory_.Pages(FirstGranule(memory_) + first, count);
  }
  void Arrange(const RangeCase& one) {
    memory_.FillPattern(1);
    const std::size_t base = FirstGranule(memory_);
    if (one.hole_before > 0) memory_.Unmap(base, one.hole_before);
    if (one.hole_behind < kAll) memory_.Unmap(base + one.hole_behind, kAll - one.hole_behind);
    // What differs from the defaults is set, so that these are not taken for the fault's.
    if (one.range_before > 0) {
      ASSERT_EQ(Set(Pages(0, one.range_before), {Granularity(3)}), HSAKMT_STATUS_SUCCESS);
    }
    if (one.range_behind < kAll) {
      ASSERT_EQ(Set(Pages(one.range_behind, kAll - one.range_behind), {Granularity(3)}),
                HSAKMT_STATUS_SUCCESS);
    }
  }

  SvmMemory& memory_ = Own(4 * kGranule);
};

}  // namespace

// The end of all the memory tells the range's edges: its unmap is reported with them.
KFD_TEST_CASES_F(XNACK, FaultMakesRange, FaultRange, kRanges,
                 .property =
                     "a fault where there is no range makes one of a granule around the "
                     "address, cut by the mapping's and neighbouring ranges' edges",
                 .rules = "XNK-3", .scope = Scope::kFirstGpu, .needs = {Capability::kSvm},
                 .process = Process::kFresh, .xnack = Xnack::kOn) {
  const RangeCase& one = param();
  Work();  // what it maps is not to come into the holes
  ASSERT_NO_FATAL_FAILURE(Arrange(one));
  ASSERT_TRUE(Done(Work().Write(Pages(one.touched, 1).data(), 0x1234)));
  EXPECT_EQ(StateOf(Pages(one.touched, 1)), Defaults());
  EventLog events(thunk(), gpu());
  memory_.Unmap(FirstGranule(memory_), kAll);
  ASSERT_TRUE(events.WaitFor(KFD_SMI_EVENT_UNMAP_FROM_GPU)) << events.Text();
  ASSERT_EQ(events.Count(KFD_SMI_EVENT_UNMAP_FROM_GPU), 1U) << events.Text();
  const gpu::SmiEvent& unmap = events.All().front();
  const auto range = Pages(one.first, one.end - one.first);
  EXPECT_EQ(unmap.address, reinterpret_cast<std::uintptr_t>(range.data())) << events.Text();
  EXPECT_EQ(unmap.bytes, range.size()) << events.Text();
}

KFD_TEST_CASES_F(XNACK, FaultMovesItsRange, FaultRange, kRanges,
                 .property = "the fault's range moves to the GPU as a whole, and nothing else does",
                 .rules = "XNK-3 XNK-5", .scope = Scope::kFirstGpu,
                 .needs = {Capability::kSvm, Capability::kPagemap}, .process = Process::kFresh,
                 .xnack = Xnack::kOn) {
  const RangeCase& one = param();
  Work();  // what it maps is not to come into the holes
  ASSERT_NO_FATAL_FAILURE(Arrange(one));
  ASSERT_TRUE(Done(Work().Write(Pages(one.touched, 1).data(), 0x1234)));
  std::string expected(kAll, 'm');
  expected.replace(0, one.hole_before, one.hole_before, '.');
  expected.replace(one.hole_behind, kAll - one.hole_behind, kAll - one.hole_behind, '.');
  expected.replace(one.first, one.end - one.first, one.end - one.first, 'v');
  EXPECT_EQ(Residency(Pages(0, kAll)), expected);
  EXPECT_EQ(*reinterpret_cast<std::uint32_t*>(Pages(one.touched, 1).data()), 0x1234U);
}

KFD_TEST_F(XNACK, FaultBesideABuffer, FaultRange,
           .property =
               "where the granule holds a buffer object's memory the fault's range is the "
               "page alone",
           .rules = "XNK-3", .scope = Scope::kFirstGpu,
           .needs = {Capability::kSvm, Capability::kPagemap}, .environment = {"HSA_USE_SVM=0"},
           .process = Process::kFresh, .xnack = Xnack::kOn) {
  memory_.FillPattern(1);
  const auto registered = Pages(900, 2);
  const Registration registration(thunk(), registered.data(), registered.size());
  MapToNodes(thunk(), registered.data(), registered.size(), {gpu().node_id});
  ASSERT_TRUE(Done(Work().Write(Pages(700, 1).data(), 0x1234)));
  std::string expected(kGranule, 'm');
  expected[700 - kGranule] = 'v';
  EXPECT_EQ(Residency(Pages(kGranule, kGranule)), expected);
  EXPECT_EQ(thunk().hsaKmtUnmapMemoryToGPU(registered.data()), HSAKMT_STATUS_SUCCESS);
}

}  // namespace kfdcts::suites
