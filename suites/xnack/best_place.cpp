// Where a fault puts the data.
#include <optional>

#include "suites/xnack/xnack_test.h"

namespace kfdcts::suites {
namespace {

/// A place, as seen from the GPU that faults.
enum class Place { kNone, kSystem, kThis, kOther };

/// Preferred location (kNone: undefined), this GPU's access, where the data is before → where it is
/// after this GPU's access (kNone: the access is a fault).
struct PlaceCase {
  std::string_view name;
  Place preferred;
  HSA_SVM_ATTR_TYPE access;
  Place before;
  Place after;
  Place after_in_hive;  ///< The same between GPUs of one hive.
};

constexpr HSA_SVM_ATTR_TYPE kAccess = HSA_SVM_ATTR_ACCESS, kInPlace = HSA_SVM_ATTR_ACCESS_IN_PLACE,
                            kNoAccess = HSA_SVM_ATTR_NO_ACCESS;

constexpr PlaceCase kPlaces[] = {
    {"access", Place::kNone, kAccess, Place::kSystem, Place::kThis, Place::kThis},
    {"access_data_on_other", Place::kNone, kAccess, Place::kOther, Place::kThis, Place::kThis},
    {"access_data_here", Place::kNone, kAccess, Place::kThis, Place::kThis, Place::kThis},
    {"in_place", Place::kNone, kInPlace, Place::kSystem, Place::kSystem, Place::kSystem},
    {"in_place_data_on_other", Place::kNone, kInPlace, Place::kOther, Place::kSystem,
     Place::kOther},
    {"in_place_data_here", Place::kNone, kInPlace, Place::kThis, Place::kThis, Place::kThis},
    {"no_access", Place::kNone, kNoAccess, Place::kSystem, Place::kNone, Place::kNone},
    {"prefers_this_access", Place::kThis, kAccess, Place::kSystem, Place::kThis, Place::kThis},
    {"prefers_this_in_place", Place::kThis, kInPlace, Place::kSystem, Place::kThis, Place::kThis},
    {"prefers_this_no_access", Place::kThis, kNoAccess, Place::kSystem, Place::kThis, Place::kThis},
    {"prefers_this_data_on_other", Place::kThis, kInPlace, Place::kOther, Place::kThis,
     Place::kThis},
    {"prefers_system_access", Place::kSystem, kAccess, Place::kSystem, Place::kSystem,
     Place::kSystem},
    {"prefers_system_data_on_other", Place::kSystem, kAccess, Place::kOther, Place::kSystem,
     Place::kSystem},
    {"prefers_system_no_access", Place::kSystem, kNoAccess, Place::kSystem, Place::kSystem,
     Place::kSystem},
    {"prefers_other_access", Place::kOther, kAccess, Place::kSystem, Place::kThis, Place::kOther},
    {"prefers_other_in_place", Place::kOther, kInPlace, Place::kSystem, Place::kSystem,
     Place::kOther},
    {"prefers_other_no_access", Place::kOther, kNoAccess, Place::kSystem, Place::kNone,
     Place::kOther},
    {"prefers_other_data_there_access", Place::kOther, kAccess, Place::kOther, Place::kThis,
     Place::kOther},
    {"prefers_other_data_there_in_place", Place::kOther, kInPlace, Place::kOther, Place::kSystem,
     Place::kOther},
};

class BestPlace : public XnackTest {
 protected:
  static constexpr std::size_t kThisGpu = 0, kOtherGpu = 1;

  HSAuint32 NodeOf(Place place) const {
    switch (place) {
      case Place::kSystem:
        return cpu_node();
      case Place::kThis:
        return gpu(kThisGpu).node_id;
      case Place::kOther:
        return gpu(kOtherGpu).node_id;
      case Place::kNone:
        break;
    }
    return INVALID_NODEID;
  }

  /// Puts the data there by a fault of the GPU that it is to be on: by prefetch the place would be
  /// decided anew at each later set.
  void Bring(const SvmMemory& memory, Place place) {
    if (place == Place::kSystem) return;
    const std::size_t index = place == Place::kThis ? kThisGpu : kOtherGpu;
    ASSERT_EQ(Set(memory.All(), {Access(gpu(index).node_id), Preferred(gpu(index).node_id)}),
              HSAKMT_STATUS_SUCCESS);
    ASSERT_TRUE(Done(Work(index).Write(memory.Word(0), 0x11)));
    ASSERT_EQ(Residency(memory.All()), std::string(memory.page_count(), 'v'));
  }

  /// The GPU that the last migration's event names; nothing where the data is in system memory.
  static std::optional<std::uint32_t> LastTarget(EventLog& events) {
    std::optional<std::uint32_t> target;
    for (const gpu::SmiEvent& event : events.All()) {
      if (event.type == KFD_SMI_EVENT_MIGRATE_END && event.to != 0) target = event.to;
    }
    return target;
  }
};

}  // namespace

KFD_TEST_CASES_F(XNACK, FaultChoosesPlace, BestPlace, kPlaces,
                 .property =
                     "the data goes to the preferred location where the GPU that faults can "
                     "reach it, else to that GPU where it has ACCESS, else stays or goes to "
                     "system memory; without access it is a fault",
                 .rules = "XNK-5", .guards = "BUG-36", .scope = Scope::kEachGpuPair,
                 .needs = {Capability::kSvm, Capability::kPagemap}, .process = Process::kFresh,
                 .xnack = Xnack::kOn) {
  const PlaceCase& one = param();
  const Place after = Has(Capability::kHive) ? one.after_in_hive : one.after;
  const SvmMemory memory(8);
  memory.FillPattern(1);
  *memory.Word(0) = 0x11;
  EventLog events(thunk(), gpu(kThisGpu));
  ASSERT_NO_FATAL_FAILURE(Bring(memory, one.before));
  ASSERT_EQ(Set(memory.All(), {Preferred(NodeOf(one.preferred)),
                               HSA_SVM_ATTRIBUTE{one.access, gpu(kThisGpu).node_id}}),
            HSAKMT_STATUS_SUCCESS);
  const WorkResult result = Work(kThisGpu).Atomic(AtomicOp::kAdd32, memory.Word(0), 0x22);
  if (after == Place::kNone) {
    ExpectFault(result, memory.Word(0), true);
  } else {
    ASSERT_TRUE(result) << result.Text();
    EXPECT_EQ(Residency(memory.All()), std::string(8, after == Place::kSystem ? 'm' : 'v'));
    if (after == Place::kThis) {
      EXPECT_EQ(LastTarget(events), gpu(kThisGpu).gpu_id) << events.Text();
    }
    EXPECT_EQ(*memory.Word(0), 0x33U);
  }
  memory.ExpectPattern(1, 1, 7);
}

KFD_TEST_F(XNACK, FaultsOfTwoGpusTakeTurns, XnackTest,
           .property =
               "data that two GPUs with ACCESS write in turns moves to each, and no write "
               "is lost",
           .rules = "XNK-5 XNK-3", .scope = Scope::kEachGpuPair, .needs = {Capability::kSvm},
           .xnack = Xnack::kOn) {
  const SvmMemory memory(4);
  memory.FillPattern(2);
  *memory.Word(1) = 0;
  for (std::uint32_t turn = 1; turn <= 8; ++turn) {
    EXPECT_TRUE(Done(Work(turn % 2).Atomic(AtomicOp::kAdd32, memory.Word(1), turn)));
  }
  EXPECT_EQ(*memory.Word(1), 36U);
  memory.ExpectPattern(2, 2, 2);
}

}  // namespace kfdcts::suites
