#include <amdgpu_drm.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "thunk/test/fake/fake_ioctls.h"

namespace kfdcts::thunk {

int FakeKernel::DrmSvm(File& file, uapi::DrmGemSvm& arguments) {
  if (!machine_.gpus[file.gpu].xnack) return -EOPNOTSUPP;
  const std::uint64_t start = arguments.start_addr;
  const std::uint64_t end = start + arguments.size;
  const std::uint32_t operation = arguments.operation;
  if (start == 0 || arguments.size == 0 || (start | arguments.size) % kFakePage != 0 ||
      operation > static_cast<std::uint32_t>(uapi::SvmOperation::kReset)) {
    return -EINVAL;
  }
  if (operation == static_cast<std::uint32_t>(uapi::SvmOperation::kReset)) {
    file.drm_svm.Reset(start, end);
    return 0;
  }
  const bool set = operation == static_cast<std::uint32_t>(uapi::SvmOperation::kSetAttributes);
  if (arguments.nattr == 0 || arguments.nattr > uapi::kMostSvmAttributes ||
      arguments.attrs_ptr == 0) {
    return -EINVAL;
  }
  const std::span attributes(reinterpret_cast<uapi::DrmSvmAttribute*>(arguments.attrs_ptr),
                             arguments.nattr);
  if (set && FakeDrmSvm::Check(attributes) != 0) return -EINVAL;
  if (behaviour_.check_user_pages && !AllPagesMapped(start, end)) return -EFAULT;
  if (primary_->BuffersOverlap(start, end)) return -EADDRINUSE;
  if (set) {
    file.drm_svm.Set(start, end, attributes);
    return 0;
  }
  const std::uint64_t until = machine_.drm_svm_segments ? file.drm_svm.UniformEnd(start, end) : end;
  arguments.size = until - start;
  return file.drm_svm.Get(start, until, attributes);
}

// What libdrm_amdgpu asks a render node when it initialises a device, and the SVM draft.
int FakeKernel::RenderIoctl(File& file, unsigned long request, void* argument) {
  if (_IOC_TYPE(request) != DRM_IOCTL_BASE) return -ENOTTY;
  if (_IOC_NR(request) == _IOC_NR(DRM_IOCTL_VERSION)) {
    auto& version = *static_cast<drm_version*>(argument);
    version.version_major = 3;
    version.version_minor = 61;
    version.version_patchlevel = 0;
    const auto answer = [](char* out, std::size_t& room, const char* text) {
      const std::size_t length = std::strlen(text);
      if (out) std::memcpy(out, text, std::min(room, length));
      room = length;
    };
    answer(version.name, version.name_len, "amdgpu");
    answer(version.date, version.date_len, "20150101");
    answer(version.desc, version.desc_len, "AMD GPU");
    return 0;
  }
  if (machine_.drm_svm_number != 0 &&
      _IOC_NR(request) == DRM_COMMAND_BASE + machine_.drm_svm_number) {
    return DrmSvm(file, *static_cast<uapi::DrmGemSvm*>(argument));
  }
  if (_IOC_NR(request) != DRM_COMMAND_BASE + DRM_AMDGPU_INFO) return -EINVAL;
  const auto& info = *static_cast<drm_amdgpu_info*>(argument);
  drm_amdgpu_info_device device{};
  std::uint32_t word = 1;
  const void* answer = &word;
  std::size_t bytes = sizeof word;
  if (info.query == AMDGPU_INFO_DEV_INFO) {
    device.device_id = 0x6863;
    device.family = AMDGPU_FAMILY_AI;
    device.virtual_address_offset = 0x200000;
    device.virtual_address_max = 1ull << 47;
    device.virtual_address_alignment = 4096;
    device.high_va_offset = 0xffff800000000000;
    device.high_va_max = 0xfffffffffffff000;
    answer = &device;
    bytes = sizeof device;
  } else if (info.query != AMDGPU_INFO_ACCEL_WORKING && info.query != AMDGPU_INFO_READ_MMR_REG) {
    return -EINVAL;
  }
  std::memcpy(reinterpret_cast<void*>(info.return_pointer), answer,
              std::min<std::size_t>(bytes, info.return_size));
  return 0;
}

}  // namespace kfdcts::thunk
