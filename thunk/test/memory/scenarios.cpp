#include "thunk/test/memory/scenarios.h"

namespace kfdcts::thunk {
namespace {

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

void Nothing(Stage&) {}

}  // namespace

// Made at the first use: other files' tables are made of it before main().
std::span<const Scenario> Scenarios() {
  static const Scenario kScenarios[] = {
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
       [](Stage& s) { return s.MakeInternal(Memory::InternalKind::kUncachedSystem, kPage); }},
      {"AllocateSignals", Nothing,
       [](Stage& s) { return s.MakeInternal(Memory::InternalKind::kSignals, 8 * kPage); }},
      {"AllocateInternalVram", Nothing,
       [](Stage& s) { return s.MakeInternal(Memory::InternalKind::kVram, kPage); }},
      {"AllocateDoorbells", Nothing,
       [](Stage& s) {
         const FakeGpu& gpu = s.kernel.machine().gpus[0];
         return s.MakeInternal(Memory::InternalKind::kDoorbells, DoorbellSlice(gpu),
                               DoorbellOffset(gpu));
       }},
      {"Available", Nothing,
       [](Stage& s) {
         HSAuint64 bytes = 0;
         return s.memory.Available(1, &bytes);
       }},
  };
  return kScenarios;
}

}  // namespace kfdcts::thunk
