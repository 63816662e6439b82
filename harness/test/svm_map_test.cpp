#include "harness/probes/svm_map.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <map>
#include <stdexcept>

namespace kfdcts::harness {
namespace {

/// Granularity by page number in a memory of its own; HSAKMT_STATUS_ERROR for the others.
std::map<const void*, HSAuint32> granularity_of;

HSAKMT_STATUS FakeGetAttr(void* start, HSAuint64, unsigned count, HSA_SVM_ATTRIBUTE* attributes) {
  const auto known = granularity_of.find(start);
  if (known == granularity_of.end()) return HSAKMT_STATUS_ERROR;
  for (unsigned i = 0; i < count; ++i) {
    if (attributes[i].type == HSA_SVM_ATTR_PREFERRED_LOC) attributes[i].value = INVALID_NODEID;
    if (attributes[i].type == HSA_SVM_ATTR_PREFETCH_LOC) attributes[i].value = 0;
    if (attributes[i].type == HSA_SVM_ATTR_SET_FLAGS) attributes[i].value = 3;
    if (attributes[i].type == HSA_SVM_ATTR_GRANULARITY) attributes[i].value = known->second;
    if (attributes[i].type == HSA_SVM_ATTR_ACCESS)
      attributes[i].type = HSA_SVM_ATTR_ACCESS_IN_PLACE;
  }
  return HSAKMT_STATUS_SUCCESS;
}

TEST(ShortResidency, CountsLongRuns) {
  EXPECT_EQ(ShortResidency(""), "");
  EXPECT_EQ(ShortResidency("mmvv."), "mmvv.");
  EXPECT_EQ(ShortResidency("mmmmmmmm"), "mmmmmmmm");
  EXPECT_EQ(ShortResidency("m" + std::string(512, 'v')), "mv×512");
}

TEST(SvmMap, ALineForEachRunOfPages) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  auto* const memory = static_cast<std::byte*>(
      mmap(nullptr, 4 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(static_cast<void*>(memory), MAP_FAILED);
  memory[0] = std::byte{1};
  granularity_of = {{memory, 9}, {memory + page, 9}, {memory + 2 * page, 5}};
  ThunkApi thunk;
  thunk.hsaKmtSVMGetAttr.Set(reinterpret_cast<void*>(&FakeGetAttr));
  GpuNode gpu;
  gpu.node_id = 1;

  const std::string map = SvmMap(thunk, {&gpu, 1}).Of({memory, 4 * page});
  EXPECT_NE(map.find(std::to_string(2 * page / 1024) +
                     " KiB  preferred undefined, prefetch system, flags 0x3, granularity 9, access "
                     "1: in place  [m.]\n"),
            std::string::npos)
      << map;
  EXPECT_NE(map.find("granularity 5, access 1: in place  [.]\n"), std::string::npos) << map;
  EXPECT_NE(map.find("no answer (status 1)  [.]\n"), std::string::npos) << map;
  munmap(memory, 4 * page);
}

TEST(SvmMap, AThunkWithoutTheCallGivesAReason) {
  const ThunkApi thunk;
  const std::vector<std::byte> memory(4096);
  EXPECT_NE(SvmMap(thunk, {}).Of(memory).find("no map: "), std::string::npos);
}

}  // namespace
}  // namespace kfdcts::harness
