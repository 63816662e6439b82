#include "thunk/bench/population.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>
#include <random>
#include <stdexcept>
#include <string>

namespace kfdcts::bench {
namespace {

constexpr unsigned kSeed = 1;
// A free page follows each user object, and at least one guard page each allocated one.
constexpr std::size_t kUserStride = 2 * kObjectBytes;

}  // namespace

HsaMemFlags VramFlags() {
  HsaMemFlags flags{};
  flags.ui32.NonPaged = 1;
  flags.ui32.CoarseGrain = 1;
  flags.ui32.PageSize = HSA_PAGE_SIZE_4KB;
  return flags;
}

void Check(HSAKMT_STATUS status, const char* call) {
  if (status == HSAKMT_STATUS_SUCCESS) return;
  throw std::runtime_error(std::string(call) + ": status " + std::to_string(status));
}

Population::Population(const Library& library, Kind kind, std::size_t count)
    : library_(library), kind_(kind) {
  objects_.reserve(count);
  kind == Kind::kAllocated ? Allocate(count) : Register(count);
  ChooseAddresses();
}

Population::~Population() {
  for (char* object : objects_) {
    if (kind_ == Kind::kAllocated)
      library_.free(object, kObjectBytes);
    else
      library_.deregister(object);
  }
  if (user_memory_) munmap(user_memory_, user_bytes_);
}

void Population::Allocate(std::size_t count) {
  while (objects_.size() < count) {
    void* address = nullptr;
    Check(library_.allocate(kGpuNode, kObjectBytes, VramFlags(), &address), "hsaKmtAllocMemory");
    objects_.push_back(static_cast<char*>(address));
  }
}

void Population::Register(std::size_t count) {
  user_bytes_ = count * kUserStride;
  void* memory = mmap(nullptr, user_bytes_, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  user_memory_ = static_cast<char*>(memory);
  while (objects_.size() < count) {
    char* object = user_memory_ + objects_.size() * kUserStride;
    Check(library_.register_memory(object, kObjectBytes), "hsaKmtRegisterMemory");
    objects_.push_back(object);
  }
}

void Population::ChooseAddresses() {
  std::mt19937 random(kSeed);
  for (char* object : objects_) {
    hits_.push_back(object + random() % kObjectBytes);
    misses_.push_back(object + kObjectBytes + random() % kObjectBytes);
  }
  std::shuffle(hits_.begin(), hits_.end(), random);
  std::shuffle(misses_.begin(), misses_.end(), random);
  for (const void* hit : {hits_.front(), hits_.back()}) {
    HsaPointerInfo info;
    Check(library_.query(hit, &info), "hsaKmtQueryPointerInfo");
  }
  HsaPointerInfo info;
  if (library_.query(misses_.front(), &info) == HSAKMT_STATUS_SUCCESS)
    throw std::runtime_error("an address beside the objects is found");
}

}  // namespace kfdcts::bench
