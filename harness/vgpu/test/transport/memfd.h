#pragma once

#include <fcntl.h>
#include <sys/mman.h>

#include <cstdint>
#include <stdexcept>

#include "harness/vgpu/transport/unique_fd.h"

namespace kfdcts::vgpu {

/// A memory file as an emulator hands out for guest memory.
inline UniqueFd MakeMemfd(std::uint64_t bytes, int seals = F_SEAL_SHRINK) {
  UniqueFd fd(memfd_create("guest", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd || ftruncate(fd.get(), static_cast<off_t>(bytes)) != 0 ||
      fcntl(fd.get(), F_ADD_SEALS, seals) != 0) {
    throw std::runtime_error("memfd");
  }
  return fd;
}

/// Open descriptors of this process: for leak checks.
std::size_t OpenFds();

/// Mappings of files named "guest".
std::size_t GuestMappings();

}  // namespace kfdcts::vgpu
