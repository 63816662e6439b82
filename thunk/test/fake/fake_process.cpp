#include "thunk/test/fake/fake_process.h"

#include <algorithm>
#include <cerrno>
#include <utility>

namespace kfdcts::thunk {
namespace {

bool UsesVram(std::uint32_t flags) { return (flags & KFD_IOC_ALLOC_MEM_FLAGS_VRAM) != 0; }

}  // namespace

FakeMemory::FakeMemory(std::size_t gpu_index, std::uint64_t size, std::uint32_t memory_flags,
                       VramUse* use)
    : gpu(gpu_index), bytes(size), flags(memory_flags), use_(use) {
  if (UsesVram(flags)) (*use_)[gpu] += bytes;
}

FakeMemory::~FakeMemory() {
  if (UsesVram(flags)) (*use_)[gpu] -= bytes;
}

FakeProcess::FakeProcess(const FakeMachine& machine, bool is_primary)
    : primary(is_primary),
      vm_files(machine.gpus.size()),
      svm(machine),
      queues(machine, *this),
      machine_(machine),
      vms_(machine.gpus.size()) {}

std::uint64_t FakeProcess::Keep(FakeBuffer buffer, std::size_t gpu) {
  Vm& vm = vms_[gpu];
  std::uint32_t slot = static_cast<std::uint32_t>(vm.buffers.size());
  if (vm.free_slots.empty()) {
    vm.buffers.emplace_back();
  } else {
    slot = vm.free_slots.back();
    vm.free_slots.pop_back();
  }
  vm.buffers[slot] = std::make_unique<FakeBuffer>(std::move(buffer));
  ++buffer_count_;
  return static_cast<std::uint64_t>(machine_.gpus[gpu].gpu_id) << 32 | slot;
}

std::size_t FakeProcess::GpuOfHandle(std::uint64_t handle) const {
  const auto gpu = std::find_if(machine_.gpus.begin(), machine_.gpus.end(),
                                [&](const FakeGpu& g) { return g.gpu_id == handle >> 32; });
  return static_cast<std::size_t>(gpu - machine_.gpus.begin());
}

FakeBuffer* FakeProcess::Find(std::uint64_t handle) {
  const std::size_t gpu = GpuOfHandle(handle);
  if (gpu == vms_.size()) return nullptr;
  const std::uint64_t slot = handle & 0xffffffff;
  return slot < vms_[gpu].buffers.size() ? vms_[gpu].buffers[slot].get() : nullptr;
}

int FakeProcess::Free(std::uint64_t handle) {
  FakeBuffer* buffer = Find(handle);
  if (!buffer) return -EINVAL;
  if (handle == event_page_handle) return -EPERM;
  if (buffer->mapped_on != 0) return -EBUSY;
  Vm& vm = vms_[GpuOfHandle(handle)];
  const auto slot = static_cast<std::uint32_t>(handle);
  vm.buffers[slot].reset();
  vm.free_slots.push_back(slot);
  --buffer_count_;
  return 0;
}

int FakeProcess::Map(FakeBuffer& buffer, std::size_t gpu) {
  const std::uint64_t bit = 1ull << gpu;
  if (buffer.mapped_on & bit) return 0;
  const std::uint64_t end = buffer.address + buffer.bytes;
  const FakeGpu& model = machine_.gpus[gpu];
  if (buffer.address % kFakePage != 0 || end - 1 > model.gpuvm_limit) return -EINVAL;
  MappingBook& addresses = vms_[gpu].addresses;
  if (addresses.Overlaps(buffer.address, end)) return -EINVAL;
  addresses.Add(buffer.address, end);
  buffer.mapped_on |= bit;
  ++gpu_mapping_count_;
  return 0;
}

int FakeProcess::Unmap(FakeBuffer& buffer, std::size_t gpu) {
  const std::uint64_t bit = 1ull << gpu;
  if (!(buffer.mapped_on & bit)) return -EINVAL;
  if (buffer.queues_on[gpu] > 0) return -EBUSY;
  vms_[gpu].addresses.Remove(buffer.address, buffer.address + buffer.bytes);
  buffer.mapped_on &= ~bit;
  --gpu_mapping_count_;
  return 0;
}

FakeBuffer* FakeProcess::FindMapped(std::size_t gpu, std::uint64_t address, std::uint64_t bytes) {
  for (Vm& vm : vms_) {
    for (const auto& buffer : vm.buffers) {
      if (buffer && buffer->address == address && buffer->bytes == bytes &&
          (buffer->mapped_on >> gpu & 1U) != 0) {
        return buffer.get();
      }
    }
  }
  return nullptr;
}

bool FakeProcess::BuffersOverlap(std::uint64_t start, std::uint64_t end) const {
  return std::any_of(vms_.begin(), vms_.end(),
                     [&](const Vm& vm) { return vm.addresses.Overlaps(start, end); });
}

}  // namespace kfdcts::thunk
