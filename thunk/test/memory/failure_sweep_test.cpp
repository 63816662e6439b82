// Each system call of each operation fails once, with each errno that the kernel can give: no
// crash, no hang, no half-made object, nothing left, and the operation can be done afterwards.
#include <cerrno>
#include <cstring>
#include <functional>

#include "thunk/test/memory/memory_fixture.h"

namespace kfdcts::thunk {
namespace {

/// What a scenario works with.
struct Stage {
  FakeKernel& kernel;
  Memory& memory;
  void* address = nullptr;   ///< Made by the preparation.
  void* produced = nullptr;  ///< Made by the operation.
  HsaSharedMemoryHandle handle = {};
  int dmabuf = -1;
  alignas(kPage) static inline std::byte host[4 * kPage];

  void Allocate(HSAuint32 node, HsaMemFlags flags, std::size_t size = 2 * kPage) {
    ASSERT_EQ(memory.Allocate(node, size, 0, flags, &address), HSAKMT_STATUS_SUCCESS);
  }
  HSAKMT_STATUS Produce(HSAuint32 node, HsaMemFlags flags, std::size_t size = 2 * kPage) {
    return memory.Allocate(node, size, 0, flags, &produced);
  }
  HSAKMT_STATUS Map(void* what, std::size_t size = 2 * kPage) {
    HSAuint64 gpu_address = 0;
    return memory.Map(what, size, std::nullopt, &gpu_address);
  }
  HSAKMT_STATUS MapTo(void* what, std::vector<HSAuint32> nodes) {
    HSAuint64 gpu_address = 0;
    return memory.Map(what, 2 * kPage, nodes, &gpu_address);
  }
  HSAKMT_STATUS RegisterHost() { return memory.Register(host + 16, 5000, std::nullopt, {}); }
  HSAKMT_STATUS Import() {
    HSAuint64 size = 0;
    return memory.RegisterShared(&handle, &produced, &size, std::nullopt);
  }
  void* Host() { return host + 16; }
};

HsaMemFlags Scratch() {
  HsaMemFlags flags{};
  flags.ui32.Scratch = 1;
  return flags;
}
HsaMemFlags OnlyAddress() {
  HsaMemFlags flags{};
  flags.ui32.OnlyAddress = 1;
  return flags;
}
HsaMemFlags NoAddress() {
  HsaMemFlags flags = PrivateVram();
  flags.ui32.NoAddress = 1;
  return flags;
}
HsaMemFlags AqlQueue() {
  HsaMemFlags flags = Gtt();
  flags.ui32.AQLQueueMemory = 1;
  return flags;
}

struct Scenario {
  const char* name;
  std::function<void(Stage&)> prepare;
  std::function<HSAKMT_STATUS(Stage&)> operate;
  bool use_svm = false;
};

void Nothing(Stage&) {}

const Scenario kScenarios[] = {
    {"AllocatePrivateVram", Nothing, [](Stage& s) { return s.Produce(1, PrivateVram()); }},
    {"AllocateVisibleVram", Nothing, [](Stage& s) { return s.Produce(1, VisibleVram()); }},
    {"AllocateGtt", Nothing, [](Stage& s) { return s.Produce(0, Gtt()); }},
    {"AllocatePaged", Nothing, [](Stage& s) { return s.Produce(0, Paged(), 4 << 20); }},
    {"AllocateAqlQueue", Nothing, [](Stage& s) { return s.Produce(0, AqlQueue()); }},
    {"AllocateOnlyAddress", Nothing, [](Stage& s) { return s.Produce(0, OnlyAddress()); }},
    {"AllocateNoAddress", Nothing, [](Stage& s) { return s.Produce(1, NoAddress()); }},
    {"AllocateScratch", Nothing, [](Stage& s) { return s.Produce(1, Scratch(), 1 << 16); }},
    {"MapScratch", [](Stage& s) { s.Allocate(1, Scratch(), 1 << 16); },
     [](Stage& s) { return s.Map(s.address); }},
    {"UnmapScratch",
     [](Stage& s) {
       s.Allocate(1, Scratch(), 1 << 16);
       ASSERT_EQ(s.Map(s.address), HSAKMT_STATUS_SUCCESS);
     },
     [](Stage& s) { return s.memory.Unmap(s.address); }},
    {"FreeScratch",
     [](Stage& s) {
       s.Allocate(1, Scratch(), 1 << 16);
       ASSERT_EQ(s.Map(s.address), HSAKMT_STATUS_SUCCESS);
     },
     [](Stage& s) { return s.memory.Free(s.address, 1 << 16); }},
    {"FreeVram", [](Stage& s) { s.Allocate(1, VisibleVram()); },
     [](Stage& s) { return s.memory.Free(s.address, kPage); }},
    {"FreePaged", [](Stage& s) { s.Allocate(0, Paged()); },
     [](Stage& s) { return s.memory.Free(s.address, kPage); }},
    {"Map", [](Stage& s) { s.Allocate(0, Gtt()); }, [](Stage& s) { return s.Map(s.address); }},
    {"MapElsewhere",
     [](Stage& s) {
       s.Allocate(0, Gtt());
       ASSERT_EQ(s.MapTo(s.address, {1}), HSAKMT_STATUS_SUCCESS);
     },
     [](Stage& s) { return s.MapTo(s.address, {2}); }},
    {"Unmap",
     [](Stage& s) {
       s.Allocate(0, Gtt());
       ASSERT_EQ(s.Map(s.address), HSAKMT_STATUS_SUCCESS);
     },
     [](Stage& s) { return s.memory.Unmap(s.address); }},
    {"RegisterUserPointer", Nothing, [](Stage& s) { return s.RegisterHost(); }},
    {"RegisterBySvm", Nothing, [](Stage& s) { return s.RegisterHost(); }, true},
    {"MapBySvm", [](Stage& s) { ASSERT_EQ(s.RegisterHost(), HSAKMT_STATUS_SUCCESS); },
     [](Stage& s) { return s.Map(s.Host(), 5000); }, true},
    {"MapUserPointer", [](Stage& s) { ASSERT_EQ(s.RegisterHost(), HSAKMT_STATUS_SUCCESS); },
     [](Stage& s) { return s.Map(s.Host(), 5000); }},
    {"DeregisterUserPointer",
     [](Stage& s) {
       ASSERT_EQ(s.RegisterHost(), HSAKMT_STATUS_SUCCESS);
       ASSERT_EQ(s.Map(s.Host(), 5000), HSAKMT_STATUS_SUCCESS);
     },
     [](Stage& s) { return s.memory.Deregister(s.Host()); }},
    {"ExportDmabuf", [](Stage& s) { s.Allocate(1, PrivateVram()); },
     [](Stage& s) {
       int fd = -1;
       HSAuint64 offset = 0;
       const HSAKMT_STATUS status = s.memory.ExportDmabuf(s.address, kPage, &fd, &offset);
       if (status == HSAKMT_STATUS_SUCCESS) s.kernel.Close(fd);
       return status;
     }},
    {"Share", [](Stage& s) { s.Allocate(1, VisibleVram()); },
     [](Stage& s) { return s.memory.Share(s.address, 2 * kPage, &s.handle); }},
    {"RegisterShared",
     [](Stage& s) {
       s.Allocate(1, VisibleVram());
       ASSERT_EQ(s.memory.Share(s.address, 2 * kPage, &s.handle), HSAKMT_STATUS_SUCCESS);
     },
     [](Stage& s) { return s.Import(); }},
    {"DeregisterShared",
     [](Stage& s) {
       s.Allocate(1, VisibleVram());
       ASSERT_EQ(s.memory.Share(s.address, 2 * kPage, &s.handle), HSAKMT_STATUS_SUCCESS);
       ASSERT_EQ(s.Import(), HSAKMT_STATUS_SUCCESS);
       ASSERT_EQ(s.Map(s.produced), HSAKMT_STATUS_SUCCESS);
     },
     [](Stage& s) { return s.memory.Deregister(s.produced); }},
    {"RegisterGraphics",
     [](Stage& s) {
       s.dmabuf = s.kernel.MakeGraphicsDmabuf(0, 2 * kPage, {1, 2, 3});
     },
     [](Stage& s) {
       HsaGraphicsResourceInfo info{};
       const std::vector<HSAuint32> nodes{1};
       return s.memory.RegisterGraphics(static_cast<HSAuint64>(s.dmabuf), &info, nodes, {});
     }},
    {"AllocateInternal", Nothing,
     [](Stage& s) {
       Memory::Internal internal;
       const HSAKMT_STATUS status = s.memory.AllocateInternal(1, kPage, internal);
       s.memory.FreeInternal(internal);
       return status;
     }},
    {"Available", Nothing,
     [](Stage& s) {
       HSAuint64 bytes = 0;
       return s.memory.Available(1, &bytes);
     }},
};

constexpr int kErrors[] = {EINVAL, ENOMEM, EPERM,  EBUSY,  ENODEV, EFAULT, EACCES,
                           EBADF,  ENOSPC, EEXIST, ENOTTY, EIO,    ESRCH,  EOPNOTSUPP};

class FailureSweep : public testing::TestWithParam<std::tuple<int, int>> {
 protected:
  static const Scenario& scenario() { return kScenarios[std::get<0>(GetParam())]; }
  static int error() { return std::get<1>(GetParam()); }

  /// The operation with its nth call failing; true where it has so many.
  bool RunOnce(std::uint64_t n) {
    FakeKernel kernel;
    bool struck = false;
    {
      Connection connection(kernel, scenario().use_svm);
      Stage stage{kernel, connection.memory()};
      scenario().prepare(stage);
      const std::uint64_t objects = stage.memory.ObjectCount();
      kernel.FailNth(n, error());
      const HSAKMT_STATUS status = scenario().operate(stage);
      struck = kernel.LastFailed().has_value();
      kernel.RestartCounts();
      CheckStatus(status, stage, objects);
      if (status != HSAKMT_STATUS_SUCCESS) {
        EXPECT_EQ(scenario().operate(stage), HSAKMT_STATUS_SUCCESS) << "afterwards, call " << n;
      }
      if (stage.dmabuf >= 0) kernel.Close(stage.dmabuf);
    }
    EXPECT_EQ(kernel.Leftovers(), "") << "call " << n;
    return struck;
  }

  static void CheckStatus(HSAKMT_STATUS status, Stage& stage, std::uint64_t objects) {
    if (status == HSAKMT_STATUS_SUCCESS) return;
    EXPECT_EQ(stage.memory.ObjectCount(), objects) << "half an object stays, or was lost";
    EXPECT_EQ(stage.produced,
              scenario().name == std::string_view("DeregisterShared") ? stage.produced : nullptr);
    const bool exact = status == HSAKMT_STATUS_ERROR || status == HSAKMT_STATUS_NO_MEMORY ||
                       status == HSAKMT_STATUS_NOT_SUPPORTED ||
                       status == HSAKMT_STATUS_INVALID_HANDLE ||
                       (error() == EINVAL && status == HSAKMT_STATUS_INVALID_PARAMETER);
    EXPECT_TRUE(exact) << status;
  }
};

TEST_P(FailureSweep, LeavesNothingHalfMade) {
  std::uint64_t n = 1;
  while (RunOnce(n)) {
    if (HasFailure()) FAIL() << scenario().name << ", call " << n << ": " << strerror(error());
    ASSERT_LT(++n, 100U) << "never ends";
  }
  EXPECT_GT(n, 1U) << "makes no system call";
}

INSTANTIATE_TEST_SUITE_P(Memory, FailureSweep,
                         testing::Combine(testing::Range(0,
                                                         static_cast<int>(std::size(kScenarios))),
                                          testing::ValuesIn(kErrors)),
                         [](const auto& one) {
                           return std::string(kScenarios[std::get<0>(one.param)].name) + "_" +
                                  strerrorname_np(std::get<1>(one.param));
                         });

}  // namespace
}  // namespace kfdcts::thunk
