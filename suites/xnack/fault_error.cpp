// GPU accesses that no fault handling can make good.
#include <sys/mman.h>

#include <string>

#include "suites/xnack/xnack_test.h"

namespace kfdcts::suites {
namespace {

enum class Target { kHole, kGuard, kReadOnly, kNoAccessMapping, kUnmappedAfterUse, kNoAccessRange };

struct ErrorCase {
  std::string_view name;
  Target target;
  bool write;
  Engine engine;
};

constexpr ErrorCase kErrors[] = {
    {"hole_read", Target::kHole, false, Engine::kSdma},
    {"hole_write", Target::kHole, true, Engine::kSdma},
    {"hole_read_pm4", Target::kHole, false, Engine::kPm4},
    {"hole_write_pm4", Target::kHole, true, Engine::kPm4},
    {"guard_page_read", Target::kGuard, false, Engine::kSdma},
    {"guard_page_write", Target::kGuard, true, Engine::kSdma},
    {"read_only_write", Target::kReadOnly, true, Engine::kSdma},
    {"read_only_write_pm4", Target::kReadOnly, true, Engine::kPm4},
    {"prot_none_read", Target::kNoAccessMapping, false, Engine::kSdma},
    {"prot_none_write", Target::kNoAccessMapping, true, Engine::kSdma},
    {"unmapped_after_use_write", Target::kUnmappedAfterUse, true, Engine::kSdma},
    {"no_access_range_read", Target::kNoAccessRange, false, Engine::kSdma},
    {"no_access_range_write", Target::kNoAccessRange, true, Engine::kSdma},
};

constexpr std::size_t kBad = 3;  // the page

class FaultError : public XnackTest {
 protected:
  /// Makes page kBad what it is to be, and returns the word that the GPU accesses.
  std::uint32_t* Arrange(Target target) {
    memory_.FillPattern(1);
    const auto bad = memory_.Pages(kBad);
    switch (target) {
      case Target::kHole:
        memory_.Unmap(kBad, 1);
        break;
      case Target::kGuard:
        return memory_.Word(0) - PageSize() / sizeof(std::uint32_t);
      case Target::kReadOnly:
        EXPECT_EQ(mprotect(bad.data(), bad.size(), PROT_READ), 0);
        break;
      case Target::kNoAccessMapping:
        EXPECT_EQ(mprotect(bad.data(), bad.size(), PROT_NONE), 0);
        break;
      case Target::kUnmappedAfterUse:
        EXPECT_TRUE(Done(Work().Write(memory_.Word(kBad), 1)));
        memory_.Unmap(kBad, 1);
        break;
      case Target::kNoAccessRange:
        EXPECT_EQ(Set(memory_.All(), {NoAccess(gpu().node_id)}), HSAKMT_STATUS_SUCCESS);
        break;
    }
    return memory_.Word(kBad);
  }

  SvmMemory& memory_ = Own(8);
};

}  // namespace

KFD_TEST_CASES_F(XNACK, FaultThatCannotBeMended, FaultError, kErrors,
                 .property =
                     "an access where nothing is mapped, against the mapping's permission "
                     "or without access ends as a memory exception with its address, not "
                     "as a retry for ever",
                 .rules = "XNK-4 XNK-5", .scope = Scope::kFirstGpu, .needs = {Capability::kSvm},
                 .process = Process::kFresh, .xnack = Xnack::kOn) {
  std::uint32_t* const bad = Arrange(param().target);
  GpuWork& work = Work(0, param().engine);
  std::uint32_t value = 0;
  const WorkResult result = param().write ? work.Write(bad + 2, 7) : work.Read(bad + 2, value);
  ExpectFault(result, bad, param().write);
  memory_.ExpectPattern(1, 0, kBad);
  memory_.ExpectPattern(1, kBad + 1, memory_.page_count() - kBad - 1);
}

KFD_TEST_F(XNACK, FaultIsOfTheGpuThatAccessed, XnackTest,
           .property = "a memory exception names the GPU whose access it was", .rules = "XNK-4",
           .scope = Scope::kEachGpuPair, .needs = {Capability::kSvm}, .process = Process::kFresh,
           .xnack = Xnack::kOn) {
  SvmMemory memory(4);
  memory.FillPattern(1);
  ASSERT_TRUE(Done(Work(0).Write(memory.Word(0), 1)));
  memory.Unmap(2, 1);
  ExpectFault(Work(1).Write(memory.Word(2), 7), memory.Word(2), true, 1);
}

KFD_TEST_F(XNACK, ReadOnlyMappingIsRead, XnackTest,
           .property =
               "the GPU reads a mapping that may only be read, and its refused write "
               "changes nothing",
           .rules = "XNK-4 XNK-3", .scope = Scope::kFirstGpu, .needs = {Capability::kSvm},
           .process = Process::kFresh, .xnack = Xnack::kOn) {
  const SvmMemory memory(4);
  AllowDeviceFindings("read-only-write");
  memory.FillPattern(6);
  const std::uint32_t expected = *memory.Word(1);
  ASSERT_EQ(mprotect(memory.All().data(), memory.All().size(), PROT_READ), 0);
  EXPECT_EQ(GpuRead(memory.Word(1)), expected);
  ExpectFault(Work().Write(memory.Word(1), ~expected), memory.Word(1), true);
  memory.ExpectPattern(6);
}

}  // namespace kfdcts::suites
