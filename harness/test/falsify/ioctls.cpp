// Falsified answers of the kernel: the thunk is the real one, the ioctls lie.
#include "harness/test/falsify/ioctls.h"

#include <sys/ioctl.h>

#include <cerrno>
#include <cstdint>
#include <string_view>

#include "harness/probes/syscall_tracer.h"

namespace kfdcts::falsify {
namespace {

using harness::Patch;
using harness::SyscallMatch;
using harness::SyscallTracer;

// Request numbers and offsets of linux/kfd_ioctl.h.
SyscallMatch Kfd(unsigned number) { return SyscallMatch::Ioctl(_IO('K', number)); }
constexpr unsigned kAllocMemory = 0x16;
constexpr unsigned kFreeMemory = 0x17;
constexpr unsigned kMapMemory = 0x18;
constexpr unsigned kUnmapMemory = 0x19;
constexpr unsigned kGetDmabufInfo = 0x1c;
constexpr unsigned kSvm = 0x20;
constexpr std::size_t kMapSuccesses = 20;  // kfd_ioctl_map_memory_to_gpu_args::n_success
constexpr std::size_t kDmabufSize = 0;     // kfd_ioctl_get_dmabuf_info_args::size

void MapReachesNone(SyscallTracer& tracer) {
  tracer.FalsifyNth(Kfd(kMapMemory), 0, Patch::Value<std::uint32_t>(kMapSuccesses, 0));
}
void DmabufIsSmaller(SyscallTracer& tracer) {
  tracer.FalsifyNth(Kfd(kGetDmabufInfo), 0, Patch::Value<std::uint64_t>(kDmabufSize, 4096));
}
void MapFails(SyscallTracer& tracer) { tracer.FailAll(Kfd(kMapMemory), ENOMEM); }
void UnmapFails(SyscallTracer& tracer) { tracer.FailAll(Kfd(kUnmapMemory), EINVAL); }
void AllocFails(SyscallTracer& tracer) { tracer.FailNth(Kfd(kAllocMemory), 8, ENOMEM); }
void FreeFails(SyscallTracer& tracer) { tracer.FailAll(Kfd(kFreeMemory), EINVAL); }
void SvmFails(SyscallTracer& tracer) { tracer.FailAll(Kfd(kSvm), EPERM); }

struct Named {
  std::string_view name;
  void (*start)(SyscallTracer&);
};
constexpr Named kFalsifiers[] = {
    {"ioctl.map_reaches_none", MapReachesNone},
    {"ioctl.unmap_fails", UnmapFails},
    {"ioctl.dmabuf_is_smaller", DmabufIsSmaller},
    {"ioctl.map_fails", MapFails},
    {"ioctl.alloc_fails", AllocFails},
    {"ioctl.free_fails", FreeFails},
    {"ioctl.svm_fails", SvmFails},
};

}  // namespace

bool StartIoctlFalsifier(const char* name) {
  for (const Named& one : kFalsifiers) {
    if (one.name != name) continue;
    one.start(SyscallTracer::Install());
    return true;
  }
  return false;
}

}  // namespace kfdcts::falsify
