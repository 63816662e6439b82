// Where the thunk's own mappings come from.
#include <linux/kfd_ioctl.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>

#include "harness/probes/proc_maps.h"
#include "suites/fake_offset/offset_test.h"
#include "suites/fake_offset/thunk_source.h"

namespace kfdcts::suites {
namespace {

constexpr KindCase kDeviceKinds[] = {
    {"vram", MemoryKind::kVram},
    {"visible_vram", MemoryKind::kVisibleVram},
    {"gtt", MemoryKind::kGtt},
};

/// KFD's mmap offsets: the kind in the two highest bits, the GPU below.
constexpr unsigned kKindShift = 62;
constexpr unsigned kGpuShift = 46;
constexpr std::uint64_t kEvents = 2;
constexpr std::uint64_t kDoorbells = 3;

class ThunkMappingTest : public MemoryTest {
 protected:
  /// Whether a GPU's memory may be a mapping of this file: VRAM is of its own GPU's, memory of the
  /// system of any GPU's.
  bool MayBe(const std::string& node, MemoryKind kind) const {
    if (IsOnGpu(kind)) return node == RenderNodeOf(gpu());
    return std::ranges::any_of(system_gpus(),
                               [&](const auto& one) { return node == RenderNodeOf(one); });
  }

  static std::string RenderNodeOf(const harness::GpuNode& node) {
    return "/dev/dri/renderD" + std::to_string(node.facts.Property("drm_render_minor"));
  }

  /// The mapping that an address is in.
  static harness::MappedRegion RegionOf(const void* address) {
    const auto place = reinterpret_cast<std::uint64_t>(address);
    for (const auto& region : harness::ReadMaps()) {
      if (region.begin <= place && place < region.end) return region;
    }
    throw std::runtime_error("nothing is mapped there");
  }
};

/// What the thunk maps for its first queue, and keeps.
class ThunkQueueTest : public ThunkMappingTest {
 protected:
  void WarmUp() override {
    const Allocation ring = Allocate(MemoryKind::kSystem, 16);
    MapToNodes(thunk(), ring.address(), ring.size(), {gpu().node_id});
    HsaQueueResource queue{};
    const HSAKMT_STATUS status =
        thunk().hsaKmtCreateQueue(gpu().node_id, HSA_QUEUE_SDMA, 100, HSA_QUEUE_PRIORITY_NORMAL,
                                  ring.address(), ring.size(), nullptr, &queue);
    if (status == HSAKMT_STATUS_NOT_IMPLEMENTED) {
      throw harness::CapabilityMissing("queues", "the thunk under test makes no queues");
    }
    Check("hsaKmtCreateQueue", status);
    doorbell_ = queue.Queue_DoorBell;
    Check("hsaKmtDestroyQueue", thunk().hsaKmtDestroyQueue(queue.QueueId));
  }

  const void* doorbell() const { return doorbell_; }

 private:
  const void* doorbell_ = nullptr;
};

/// What the thunk maps for its first event, and keeps.
class ThunkEventTest : public ThunkMappingTest {
 protected:
  void WarmUp() override {
    HsaEventDescriptor descriptor{};
    descriptor.EventType = HSA_EVENTTYPE_SIGNAL;
    HsaEvent* event = nullptr;
    Check("hsaKmtCreateEvent", thunk().hsaKmtCreateEvent(&descriptor, true, false, &event));
    slot_ = reinterpret_cast<const void*>(event->EventData.HWData2);
    Check("hsaKmtDestroyEvent", thunk().hsaKmtDestroyEvent(event));
  }

  const void* slot() const { return slot_; }

 private:
  const void* slot_ = nullptr;
};

}  // namespace

KFD_TEST_CASES_F(FakeOffset, ThunkMapsRenderNode, ThunkMappingTest, kDeviceKinds,
                 .property =
                     "memory of the thunk that is a GPU's object is a mapping of that GPU's "
                     "render node at the object's own offset",
                 .rules = "OFF-13", .needs = {Symbol{"hsaKmtExportDMABufHandle"}}) {
  if (param().kind == MemoryKind::kVisibleVram) Require(Capability::kLargeBar);
  const Allocation memory = Allocate(param().kind);
  const harness::MappedRegion region = RegionOf(memory.address());
  ASSERT_TRUE(MayBe(region.name, param().kind)) << region.name;
  EXPECT_EQ(region.begin, reinterpret_cast<std::uint64_t>(memory.address()));
  const UniqueFd file = OpenNode(region.name);
  const UniqueFd dma_buf = ExportMemory(thunk(), memory);
  const Handle imported = Handle::Of(file.get(), dma_buf);
  std::uint64_t offset = 0;
  ASSERT_EQ(AskAmdgpu(file.get(), imported.get(), &offset), 0);
  EXPECT_EQ(region.offset, offset);
}

KFD_TEST_CASES_F(FakeOffset, ThunkObeysKernel, ThunkMappingTest, kDeviceKinds,
                 .property =
                     "the thunk maps memory at the offset that the kernel returned for it, "
                     "whichever that is",
                 .rules = "OFF-13", .process = Process::kTraced) {
  if (param().kind == MemoryKind::kVisibleVram) Require(Capability::kLargeBar);
  const Allocation other = Allocate(param().kind);
  const std::uint64_t offset = RegionOf(other.address()).offset;
  tracer().FalsifyNth(
      harness::SyscallMatch::Ioctl(AMDKFD_IOC_ALLOC_MEMORY_OF_GPU), 1,
      harness::Patch::Value(offsetof(kfd_ioctl_alloc_memory_of_gpu_args, mmap_offset), offset));
  const Allocation memory = Allocate(param().kind);
  ASSERT_EQ(tracer().Interventions(), 1U);
  EXPECT_EQ(RegionOf(memory.address()).offset, offset);
}

KFD_TEST_F(FakeOffset, ThunkMapsDoorbells, ThunkQueueTest,
           .property =
               "a queue's doorbell is in a mapping of /dev/kfd at the offset of this GPU's "
               "doorbells",
           .rules = "OFF-13") {
  const harness::MappedRegion region = RegionOf(doorbell());
  EXPECT_EQ(region.name, "/dev/kfd");
  EXPECT_EQ(region.offset >> kKindShift, kDoorbells);
  EXPECT_EQ((region.offset << 2U) >> (2U + kGpuShift), gpu().gpu_id);
}

KFD_TEST_F(FakeOffset, ThunkMapsEvents, ThunkEventTest,
           .property =
               "an event's slot is in a mapping of a render node at a DRM offset, where the "
               "thunk gave the kernel a page, or else of /dev/kfd at its events' offset",
           .rules = "OFF-13") {
  const harness::MappedRegion region = RegionOf(slot());
  if (region.name == "/dev/kfd") {
    EXPECT_EQ(region.offset >> kKindShift, kEvents);
  } else {
    EXPECT_TRUE(region.name.starts_with("/dev/dri/renderD")) << region.name;
    EXPECT_GE(region.offset, kFirstOffset);
    EXPECT_EQ(region.offset >> kKindShift, 0U);
  }
}

}  // namespace kfdcts::suites
