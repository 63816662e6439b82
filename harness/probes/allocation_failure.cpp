#include "harness/probes/allocation_failure.h"

#include <cerrno>
#include <cstddef>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define KFDCTS_OWN_MALLOC 0
#else
#define KFDCTS_OWN_MALLOC 1
#endif

namespace kfdcts::harness {
namespace {

struct Watch {
  bool armed = false;
  bool struck = false;
  std::uint64_t nth = 0;
  std::uint64_t count = 0;
};

constinit thread_local Watch watch;

#if KFDCTS_OWN_MALLOC
/// Whether the allocation that this thread is about to make must fail.
bool MustFail() {
  if (!watch.armed) return false;
  if (++watch.count != watch.nth) return false;
  watch.struck = true;
  errno = ENOMEM;
  return true;
}
#endif

}  // namespace

AllocationFailure::AllocationFailure(std::uint64_t nth) { watch = {true, false, nth, 0}; }

AllocationFailure::~AllocationFailure() { Disarm(); }

void AllocationFailure::Disarm() { watch.armed = false; }

std::uint64_t AllocationFailure::Count() const { return watch.count; }

bool AllocationFailure::Struck() const { return watch.struck; }

bool AllocationFailure::Available() { return KFDCTS_OWN_MALLOC != 0; }

}  // namespace kfdcts::harness

#if KFDCTS_OWN_MALLOC

// The C library's own functions under the names that it keeps for this purpose. A symbol of the
// executable comes before that of a shared library, so the thunk's calls come here too.
extern "C" {

// NOLINTBEGIN(bugprone-reserved-identifier): the C library's own names
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* old, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
// NOLINTEND(bugprone-reserved-identifier)

void* malloc(std::size_t size) noexcept {
  return kfdcts::harness::MustFail() ? nullptr : __libc_malloc(size);
}

void* calloc(std::size_t count, std::size_t size) noexcept {
  return kfdcts::harness::MustFail() ? nullptr : __libc_calloc(count, size);
}

void* realloc(void* old, std::size_t size) noexcept {
  return kfdcts::harness::MustFail() ? nullptr : __libc_realloc(old, size);
}

void* memalign(std::size_t alignment, std::size_t size) noexcept {
  return kfdcts::harness::MustFail() ? nullptr : __libc_memalign(alignment, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  return memalign(alignment, size);
}

int posix_memalign(void** memory, std::size_t alignment, std::size_t size) noexcept {
  const bool power_of_two = alignment != 0 && (alignment & (alignment - 1)) == 0;
  if (!power_of_two || alignment % sizeof(void*) != 0) return EINVAL;
  void* result = memalign(alignment, size);
  if (result == nullptr) return ENOMEM;
  *memory = result;
  return 0;
}

}  // extern "C"

#endif
