// When a set maps: seen by the first access, which faults or does not.
#include "suites/xnack/xnack_test.h"

namespace kfdcts::suites {
namespace {

/// Of the GPU that accesses: its attribute, whether a prefetch goes to it, and whether the call
/// sets a flag, which makes the kernel map what is to be mapped.
struct MappingCase {
  std::string_view name;
  HSA_SVM_ATTR_TYPE access;
  bool prefetch, flag;
  bool faults;  ///< With XNACK on.
};

constexpr MappingCase kMappings[] = {
    {"access", HSA_SVM_ATTR_ACCESS, false, false, true},
    {"access_flag", HSA_SVM_ATTR_ACCESS, false, true, true},
    {"access_prefetch", HSA_SVM_ATTR_ACCESS, true, false, false},
    {"access_prefetch_flag", HSA_SVM_ATTR_ACCESS, true, true, false},
    {"in_place_flag", HSA_SVM_ATTR_ACCESS_IN_PLACE, false, true, false},
    {"in_place_prefetch", HSA_SVM_ATTR_ACCESS_IN_PLACE, true, false, false},
};

class Mapping : public XnackTest {
 protected:
  HSAKMT_STATUS SetFor(const MappingCase& one) {
    const HSAuint32 node = gpu().node_id;
    std::vector<HSA_SVM_ATTRIBUTE> attributes{{one.access, node}};
    if (one.prefetch) attributes.push_back(Prefetch(node));
    if (one.flag) attributes.push_back(SetFlags(HSA_SVM_FLAG_GPU_READ_MOSTLY));
    return Set(memory_.All(), attributes);
  }

  SvmMemory& memory_ = Own(8);
};

}  // namespace

KFD_TEST_CASES_F(XNACK, MapsLazily, Mapping, kMappings,
                 .property =
                     "with XNACK on a set maps only a GPU with IN_PLACE and the one that "
                     "has the data and ACCESS; the first access of others faults",
                 .rules = "XNK-9", .needs = {Capability::kSvm}, .process = Process::kFresh,
                 .xnack = Xnack::kOn) {
  memory_.FillPattern(1);
  Work();
  ASSERT_EQ(SetFor(param()), HSAKMT_STATUS_SUCCESS);
  EventLog events(thunk(), gpu());
  for (std::size_t page = 0; page < 8; ++page) {
    ASSERT_TRUE(Done(Work().Atomic(AtomicOp::kSwap32, memory_.Word(page), 0x10)));
  }
  EXPECT_EQ(events.Count(KFD_SMI_EVENT_PAGE_FAULT_START) > 0, param().faults) << events.Text();
  EXPECT_EQ(*memory_.Word(7), 0x10U);
}

KFD_TEST_CASES_F(XNACK, MapsEagerly, Mapping, kMappings,
                 .property =
                     "with XNACK off a set maps every GPU with access: accesses work and "
                     "never fault",
                 .rules = "XNK-9", .needs = {Capability::kSvm}, .process = Process::kFresh,
                 .xnack = Xnack::kOff) {
  memory_.FillPattern(1);
  Work();
  EventLog events(thunk(), gpu());
  ASSERT_EQ(SetFor(param()), HSAKMT_STATUS_SUCCESS);
  for (std::size_t page = 0; page < 8; ++page) {
    ASSERT_TRUE(Done(Work().Atomic(AtomicOp::kSwap32, memory_.Word(page), 0x10)));
  }
  EXPECT_EQ(events.Count(KFD_SMI_EVENT_PAGE_FAULT_START), 0U) << events.Text();
  EXPECT_EQ(*memory_.Word(7), 0x10U);
}

KFD_TEST_F(XNACK, MapsEveryGpuWithAccess, Mapping,
           .property = "with XNACK off one set maps memory on all GPUs with ACCESS or IN_PLACE",
           .rules = "XNK-9", .scope = Scope::kEachGpuPair, .needs = {Capability::kSvm},
           .process = Process::kFresh, .xnack = Xnack::kOff) {
  memory_.FillPattern(1);
  ASSERT_EQ(Set(memory_.All(), {Access(gpu(0).node_id), AccessInPlace(gpu(1).node_id)}),
            HSAKMT_STATUS_SUCCESS);
  for (std::uint32_t turn = 0; turn < 4; ++turn) {
    ASSERT_TRUE(Done(Work(turn % 2).Write(memory_.Word(3), turn)));
    EXPECT_EQ(*memory_.Word(3), turn);
    EXPECT_EQ(GpuRead(memory_.Word(3), 1 - turn % 2), turn);
  }
}

KFD_TEST_F(XNACK, PrefetchMapsItsGpuAlone, Mapping,
           .property =
               "with XNACK on data prefetched to one GPU is mapped there, and the access of "
               "another with ACCESS faults and takes it over",
           .rules = "XNK-9 XNK-5", .scope = Scope::kEachGpuPair, .needs = {Capability::kSvm},
           .process = Process::kFresh, .xnack = Xnack::kOn) {
  memory_.FillPattern(1);
  ASSERT_EQ(Set(memory_.All(), {Prefetch(gpu(0).node_id)}), HSAKMT_STATUS_SUCCESS);
  EventLog first(thunk(), gpu(0)), second(thunk(), gpu(1));
  ASSERT_TRUE(Done(Work(0).Write(memory_.Word(2), 5)));
  EXPECT_EQ(first.Count(KFD_SMI_EVENT_PAGE_FAULT_START), 0U) << first.Text();
  ASSERT_TRUE(Done(Work(1).Atomic(AtomicOp::kAdd32, memory_.Word(2), 6)));
  EXPECT_GE(second.Count(KFD_SMI_EVENT_PAGE_FAULT_START), 1U) << second.Text();
  EXPECT_EQ(*memory_.Word(2), 11U);
}

}  // namespace kfdcts::suites
