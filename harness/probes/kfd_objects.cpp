#include "harness/probes/kfd_objects.h"

#include "harness/gpu/kfd.h"

namespace kfdcts::harness {

std::size_t CountKfdObjects() {
  const gpu::Kfd kfd;  // one more opening of the process that KFD knows already
  kfd_ioctl_criu_args args{};
  args.op = KFD_CRIU_OP_PROCESS_INFO;
  kfd.Do(AMDKFD_IOC_CRIU_OP, args, "CRIU_OP PROCESS_INFO");
  const std::size_t objects = args.num_objects;
  args = {};
  args.op = KFD_CRIU_OP_UNPAUSE;
  kfd.Do(AMDKFD_IOC_CRIU_OP, args, "CRIU_OP UNPAUSE");
  return objects;
}

}  // namespace kfdcts::harness
