#include <unistd.h>

#include <utility>

#include "thunk/test/fake/fake_kernel.h"

namespace kfdcts::thunk {

void FakeKernel::FailNth(std::uint64_t n, int error) {
  const std::lock_guard lock(mutex_);
  book_.Restart();
  book_.FailNth(n, error);
}

void FakeKernel::FailNthOf(CallKind kind, std::uint64_t n, int error) {
  const std::lock_guard lock(mutex_);
  book_.Restart();
  book_.FailNthOf(kind, n, error);
}

void FakeKernel::FailMappingOn(std::uint32_t gpu_id, int error) {
  const std::lock_guard lock(mutex_);
  map_failures_[gpu_id] = error;
}

void FakeKernel::RestartCounts() {
  const std::lock_guard lock(mutex_);
  book_.Restart();
}

std::uint64_t FakeKernel::Calls() const {
  const std::lock_guard lock(mutex_);
  return book_.total();
}

std::uint64_t FakeKernel::Calls(CallKind kind) const {
  const std::lock_guard lock(mutex_);
  return book_.count(kind);
}

std::optional<CallKind> FakeKernel::LastFailed() const {
  const std::lock_guard lock(mutex_);
  return book_.last_failed();
}

FakeHoldings FakeKernel::Holdings() const {
  const std::lock_guard lock(mutex_);
  FakeHoldings holdings;
  const auto add_process = [&](const FakeProcess& process) {
    holdings.buffers += process.buffer_count();
    holdings.gpu_mappings += process.gpu_mapping_count();
    holdings.events += process.events.size();
    holdings.queues += process.queues.size();
  };
  add_process(*primary_);
  for (const auto& weak : secondaries_)
    if (const auto secondary = weak.lock()) add_process(*secondary);
  for (const auto& [fd, file] : open_files_) {
    if (file->kind == FileKind::kKfd) ++holdings.kfd_files;
    if (file->kind == FileKind::kRender) ++holdings.render_files;
    holdings.drm_svm_entries += file->drm_svm.entries();
    if (file->kind == FileKind::kDmabuf) ++holdings.dmabuf_files;
    if (file->kind == FileKind::kPidfd || file->kind == FileKind::kStream) ++holdings.other_files;
  }
  for (const LibdrmDevice& device : libdrm_devices_)
    if (device.users > 0) ++holdings.drm_devices;
  holdings.mapped_bytes = mappings_.Bytes();
  for (const std::uint64_t bytes : vram_in_use_) holdings.vram_bytes += bytes;
  return holdings;
}

std::string FakeKernel::Leftovers(bool device_files_may_stay) const {
  const FakeHoldings held = Holdings();
  std::string text;
  const auto tell = [&](std::uint64_t count, const char* what) {
    if (count == 0) return;
    if (!text.empty()) text += ", ";
    text += std::to_string(count) + ' ' + what;
  };
  tell(held.buffers, "buffers");
  tell(held.gpu_mappings, "mappings on GPUs");
  tell(held.events, "events");
  tell(held.drm_svm_entries, "entries of DRM's SVM");
  tell(held.queues, "queues");
  if (!device_files_may_stay) {
    tell(held.kfd_files, "files of /dev/kfd");
    tell(held.render_files, "files of render nodes");
    tell(held.drm_devices, "libdrm devices");
  }
  tell(held.dmabuf_files, "dma-buf files");
  tell(held.other_files, "pidfds or streams");
  tell(held.mapped_bytes, "mapped bytes");
  tell(held.vram_bytes, "bytes of VRAM");
  return text;
}

int FakeKernel::MakeGraphicsDmabuf(std::size_t gpu, std::uint64_t bytes,
                                   const std::vector<std::uint8_t>& metadata) {
  const std::lock_guard lock(mutex_);
  auto file = std::make_shared<File>();
  file->kind = FileKind::kDmabuf;
  const std::uint64_t whole_pages = (bytes + kFakePage - 1) / kFakePage * kFakePage;
  file->memory =
      std::make_shared<FakeMemory>(gpu, whole_pages, KFD_IOC_ALLOC_MEM_FLAGS_VRAM, &vram_in_use_);
  file->memory->metadata = metadata;
  file->memory->mmap_offset = std::exchange(next_mmap_offset_, next_mmap_offset_ + whole_pages);
  return Install(std::move(file));
}

}  // namespace kfdcts::thunk
