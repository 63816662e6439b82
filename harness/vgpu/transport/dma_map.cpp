#include "harness/vgpu/transport/dma_map.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <limits>

namespace kfdcts::vgpu {
namespace {

bool IsWholePages(std::uint64_t value) { return value % DmaMap::kPageBytes == 0; }

int CheckRequest(const wire::DmaMap& request) {
  constexpr std::uint32_t kKnownFlags = wire::kDmaReadable | wire::kDmaWritable;
  if ((request.flags & ~kKnownFlags) != 0 || (request.flags & wire::kDmaReadable) == 0) {
    return EINVAL;
  }
  if (request.size == 0 || !IsWholePages(request.size) || !IsWholePages(request.address) ||
      !IsWholePages(request.offset)) {
    return EINVAL;
  }
  // The last byte may be the last address.
  if (request.address + (request.size - 1) < request.address) {
    return EINVAL;
  }
  return 0;
}

int CheckFile(int fd, std::uint64_t offset, std::uint64_t size) {
  struct stat status = {};
  if (fstat(fd, &status) != 0) {
    return errno;
  }
  const int seals = fcntl(fd, F_GET_SEALS);
  if (seals < 0 || (seals & F_SEAL_SHRINK) == 0) {
    return EACCES;
  }
  const auto file_bytes = static_cast<std::uint64_t>(status.st_size);
  return offset <= file_bytes && size <= file_bytes - offset ? 0 : EINVAL;
}

}  // namespace

bool DmaMap::Overlaps(std::uint64_t address, std::uint64_t bytes) const {
  const auto next = regions_.upper_bound(address);
  if (next != regions_.end() && next->first - address < bytes) {
    return true;
  }
  if (next == regions_.begin()) {
    return false;
  }
  const auto previous = std::prev(next);
  return address - previous->first < previous->second.bytes;
}

int DmaMap::Map(const wire::DmaMap& request, UniqueFd fd) {
  if (const int error = CheckRequest(request); error != 0) {
    return error;
  }
  if (Overlaps(request.address, request.size)) {
    return EEXIST;
  }
  if (regions_.size() >= kMaxRegions) {
    return ENOSPC;
  }
  Region region = {request.size, nullptr, (request.flags & wire::kDmaWritable) != 0};
  if (fd) {
    if (const int error = CheckFile(fd.get(), request.offset, request.size); error != 0) {
      return error;
    }
    void* host = mmap(nullptr, request.size, PROT_READ | (region.writable ? PROT_WRITE : 0),
                      MAP_SHARED, fd.get(), static_cast<off_t>(request.offset));
    if (host == MAP_FAILED) {
      return errno;
    }
    region.host = static_cast<std::byte*>(host);
  }
  regions_.emplace(request.address, region);
  return 0;
}

int DmaMap::Unmap(const wire::DmaUnmap& request) {
  if (request.flags == wire::kDmaUnmapAll) {
    if (request.address != 0 || request.size != 0) {
      return EINVAL;
    }
    Clear();
    return 0;
  }
  if (request.flags != 0) {
    return EINVAL;
  }
  const auto found = regions_.find(request.address);
  if (found == regions_.end()) {
    return ENOENT;
  }
  if (found->second.bytes != request.size) {
    return EINVAL;
  }
  Release(found->second);
  regions_.erase(found);
  return 0;
}

void DmaMap::Clear() {
  for (const auto& [address, region] : regions_) {
    Release(region);
  }
  regions_.clear();
}

void DmaMap::Release(const Region& region) {
  if (region.host != nullptr) {
    munmap(region.host, region.bytes);
  }
}

std::byte* DmaMap::At(std::uint64_t address, std::size_t size, bool write) const {
  const auto next = regions_.upper_bound(address);
  if (next == regions_.begin()) {
    return nullptr;
  }
  const auto& [start, region] = *std::prev(next);
  const std::uint64_t offset = address - start;
  if (offset >= region.bytes || size > region.bytes - offset || region.host == nullptr ||
      (write && !region.writable)) {
    return nullptr;
  }
  return region.host + offset;
}

}  // namespace kfdcts::vgpu
