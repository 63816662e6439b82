#pragma once

#include "harness/probes/syscall_tracer.h"
#include "harness/test_support/kfd_test.h"
#include "suites/support/memory.h"
#include "suites/support/pointer_info.h"
#include "suites/support/status.h"

namespace kfdcts::suites {

using harness::Capability;
using harness::KfdState;
using harness::Process;
using harness::Scope;
using harness::Symbol;

/// Fixture of the suites about memory objects: makes memory of a kind for the test's first GPU.
class MemoryTest : public harness::KfdTest {
 protected:
  /// The node that such memory is asked of, and is found on. The kernel gives VRAM to the CPU only
  /// where it is all within the BAR; elsewhere the test is skipped.
  HSAuint32 NodeFor(MemoryKind kind) const {
    if (kind == MemoryKind::kVisibleVram) Require(Capability::kLargeBar);
    return IsOnGpu(kind) ? gpu().node_id : cpu_node();
  }

  /// Minor number of the first GPU's render node.
  int RenderMinor() const { return static_cast<int>(gpu().facts.Property("drm_render_minor")); }

  Allocation Allocate(MemoryKind kind, std::size_t pages = 3) const {
    return Allocation(thunk(), NodeFor(kind), pages * PageSize(), FlagsFor(kind));
  }

  PointerInfo Query(const void* address) const { return suites::Query(thunk(), address); }

  /// Fails a traced test where there was an ioctl since tracer().Reset().
  void ExpectNoIoctl() {
    EXPECT_EQ(tracer().Count(harness::SyscallMatch::Ioctl()), 0U) << tracer().Describe();
  }
};

}  // namespace kfdcts::suites
