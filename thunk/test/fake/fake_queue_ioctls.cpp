#include <cerrno>

#include "thunk/test/fake/fake_ioctls.h"

namespace kfdcts::thunk {

int FakeKernel::Ioctls::CreateQueue(kfdcts_create_queue_args& arguments) {
  std::size_t gpu;
  if (const int error = BoundGpu(arguments.gpu_id, gpu)) return error == -ENODEV ? -ESRCH : error;
  return process_->queues.Create(gpu, arguments);
}

int FakeKernel::Ioctls::UpdateQueue(kfd_ioctl_update_queue_args& arguments) {
  return process_->queues.Update(arguments);
}

int FakeKernel::Ioctls::DestroyQueue(kfd_ioctl_destroy_queue_args& arguments) {
  return process_->queues.Destroy(arguments.queue_id);
}

int FakeKernel::Ioctls::SetCuMask(kfd_ioctl_set_cu_mask_args& arguments) {
  return process_->queues.SetCuMask(arguments);
}

int FakeKernel::Ioctls::GetQueueWaveState(kfd_ioctl_get_queue_wave_state_args& arguments) {
  return process_->queues.GetWaveState(arguments);
}

int FakeKernel::Ioctls::AllocQueueGws(kfd_ioctl_alloc_queue_gws_args& arguments) {
  return process_->queues.AllocGws(arguments);
}

}  // namespace kfdcts::thunk
