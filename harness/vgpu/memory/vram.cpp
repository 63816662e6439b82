#include "harness/vgpu/memory/vram.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <stdexcept>
#include <system_error>

namespace kfdcts::vgpu {
namespace {

constexpr std::uint64_t kMinBytes = 1 << 20;

int MakeSealedMemory(std::uint64_t bytes) {
  const int fd = memfd_create("vram", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0) throw std::system_error(errno, std::generic_category(), "memfd_create for VRAM");
  // The size is sealed, so that neither side can make the other's mapping fault.
  if (ftruncate(fd, static_cast<off_t>(bytes)) != 0 ||
      fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    const int error = errno;
    close(fd);
    throw std::system_error(error, std::generic_category(), "sizing the memfd for VRAM");
  }
  return fd;
}

}  // namespace

Vram::Vram(std::uint64_t bytes) : bytes_(bytes), fd_(-1), data_(nullptr) {
  if (bytes < kMinBytes || !std::has_single_bit(bytes)) {
    throw std::invalid_argument("VRAM must be a power of two and at least 1 MiB");
  }
  fd_ = MakeSealedMemory(bytes);
  void* mapping = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0);
  if (mapping == MAP_FAILED) {
    const int error = errno;
    close(fd_);
    throw std::system_error(error, std::generic_category(), "mapping VRAM");
  }
  data_ = static_cast<std::byte*>(mapping);
}

Vram::~Vram() {
  munmap(data_, bytes_);
  close(fd_);
}

std::byte* Vram::At(std::uint64_t offset, std::uint64_t size) {
  if (size > bytes_ || offset > bytes_ - size) return nullptr;
  return data_ + offset;
}

}  // namespace kfdcts::vgpu
