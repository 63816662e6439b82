#include "thunk/src/memory/memory.h"

#include <mutex>
#include <shared_mutex>

#include "thunk/src/fault/points.h"
#include "thunk/src/kernel/status.h"
#include "thunk/src/memory/books.h"

namespace kfdcts::thunk {
namespace {

/// gfx7.0.0: the one chip whose applications choose their memory policy.
constexpr std::uint32_t kKaveri = 70000;

/// The highest number of a NUMA node that is online, plus one; of a list as "0-1,4".
unsigned CountNumaNodes(const std::string& online) {
  unsigned last = 0;
  for (std::size_t i = 0; i < online.size(); ++i) {
    if (online[i] < '0' || online[i] > '9') continue;
    unsigned number = 0;
    for (; i < online.size() && online[i] >= '0' && online[i] <= '9'; ++i) {
      number = number * 10 + static_cast<unsigned>(online[i] - '0');
    }
    last = number;
  }
  return last + 1;
}

bool IsPolicy(HSAuint32 policy) {
  return policy == HSA_CACHING_CACHED || policy == HSA_CACHING_NONCACHED;
}

std::uint32_t KernelPolicy(HSAuint32 policy) {
  return policy == HSA_CACHING_CACHED ? KFD_IOC_CACHE_POLICY_COHERENT
                                      : KFD_IOC_CACHE_POLICY_NONCOHERENT;
}

void Answer(const MemoryObject& object, std::uint64_t asked, HsaPointerInfo& info) {
  FillPointerInfo(object, info);
  fault::SpoilAnswer(object, asked, info);
}

}  // namespace

Memory::Memory(const Kfd& kfd, std::span<const Gpu> gpus, const Options& options, bool primary)
    : books_(std::make_unique<Books>(kfd, gpus, options, primary)) {}

Memory::~Memory() = default;

HSAKMT_STATUS Memory::Open() {
  std::string online;
  if (books_->calls().ReadFile("/sys/devices/system/node/online", online) == 0) {
    books_->numa_nodes = CountNumaNodes(online);
  }
  if (const int error = books_->space.Open(); error < 0) return StatusOf(error);
  for (const Gpu& gpu : books_->gpus) {
    if (AddressSpace::HasOwnAperture(gpu)) continue;
    const Aperture alternate = books_->space.alternate();
    kfd_ioctl_set_memory_policy_args policy{};
    policy.gpu_id = gpu.gpu_id;
    policy.default_policy = KFD_IOC_CACHE_POLICY_NONCOHERENT;
    policy.alternate_policy = KFD_IOC_CACHE_POLICY_COHERENT;
    policy.alternate_aperture_base = alternate.base;
    policy.alternate_aperture_size = alternate.limit - alternate.base + 1;
    if (books_->kfd.SetMemoryPolicy(policy) < 0) return HSAKMT_STATUS_ERROR;
  }
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS Memory::SetPolicy(HSAuint32 node, HSAuint32 default_policy,
                                HSAuint32 alternate_policy, void* alternate_base,
                                HSAuint64 alternate_size) {
  const Gpu* gpu = FindGpu(books_->gpus, node);
  if (gpu == nullptr || gpu->gfx_version != kKaveri) return HSAKMT_STATUS_NOT_IMPLEMENTED;
  const auto base = reinterpret_cast<std::uint64_t>(alternate_base);
  if (!IsPolicy(default_policy) || !IsPolicy(alternate_policy) || OffsetInPage(base) != 0 ||
      OffsetInPage(alternate_size) != 0) {
    return HSAKMT_STATUS_INVALID_PARAMETER;
  }
  kfd_ioctl_set_memory_policy_args policy{};
  policy.gpu_id = gpu->gpu_id;
  policy.default_policy = KernelPolicy(default_policy);
  policy.alternate_policy = KernelPolicy(alternate_policy);
  policy.alternate_aperture_base = base;
  policy.alternate_aperture_size = alternate_size;
  return books_->kfd.SetMemoryPolicy(policy) < 0 ? HSAKMT_STATUS_ERROR : HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS Memory::Available(HSAuint32 node, HSAuint64* bytes) {
  const Gpu* gpu = FindGpu(books_->gpus, node);
  std::uint64_t available = 0;
  if (gpu == nullptr || books_->kfd.AvailableMemory(gpu->gpu_id, available) < 0) {
    return HSAKMT_STATUS_ERROR;
  }
  *bytes = available;
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS Memory::Query(const void* address, HsaPointerInfo* info) {
  const auto wanted = reinterpret_cast<std::uint64_t>(address);
  if (!Broken(Fault::kFailureKeepsFields)) *info = {};
  fault::AskKernel(Fault::kQueryMakesIoctl, books_->kfd);
  {
    const std::shared_lock guard(books_->lock);
    const MemoryObject* object = books_->FindHolder(wanted);
    if (object == nullptr) {
      if (Broken(Fault::kLockKeptOnUnknown)) books_->lock.lock_shared();
      return fault::NotFound(HSAKMT_STATUS_ERROR, wanted, *info, books_->kfd);
    }
    if (!object->registered.needs_array() && !object->mapped.needs_array()) {
      Answer(*object, wanted, *info);
      return HSAKMT_STATUS_SUCCESS;
    }
  }
  // The first query after a change makes the arrays, which is a change to what others read.
  std::unique_lock guard(books_->lock);
  MemoryObject* object = books_->FindHolder(wanted);
  if (object == nullptr) return HSAKMT_STATUS_ERROR;
  const bool made = object->registered.MakeArray() && object->mapped.MakeArray();
  Answer(*object, wanted, *info);
  if (!made && Broken(Fault::kLockKeptOnNoMemory)) guard.release();
  return made || Broken(Fault::kNoMemoryIsSuccess) ? HSAKMT_STATUS_SUCCESS
                                                   : HSAKMT_STATUS_NO_MEMORY;
}

HSAKMT_STATUS Memory::SetUserData(const void* address, void* user_data) {
  const std::shared_lock guard(books_->lock);
  const auto wanted = reinterpret_cast<std::uint64_t>(address);
  fault::AskKernel(Fault::kSetterMakesIoctl, books_->kfd);
  MemoryObject* object =
      fault::ToSet(books_->FindAt(wanted, 0), books_->objects, wanted, user_data);
  if (object == nullptr) {
    return Broken(Fault::kSetterUnknownIsSuccess) ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_ERROR;
  }
  object->user_data.store(fault::StoredUserData(*object, user_data), std::memory_order_relaxed);
  return HSAKMT_STATUS_SUCCESS;
}

std::uint64_t Memory::ObjectCount() const {
  const std::lock_guard operation(books_->operations);
  return books_->objects.size() + books_->cpu_objects.size() + books_->scratch.size();
}

Aperture Memory::SvmAperture() const {
  const Aperture main = books_->space.main();
  return {books_->space.alternate().base, main.limit};
}

void Memory::ReleaseObjects() { books_->ReleaseAll(); }

void Memory::LockForFork() { books_->lock.lock(); }

void Memory::UnlockAfterFork() { books_->lock.unlock(); }

void Memory::UnlockInChild() { books_->lock.unlock_in_child(); }

void Memory::AbandonInChild() { books_->Abandon(); }

}  // namespace kfdcts::thunk
