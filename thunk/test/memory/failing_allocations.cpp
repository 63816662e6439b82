#include "thunk/test/memory/failing_allocations.h"

#include <cstdlib>
#include <new>

namespace kfdcts::thunk {

thread_local FailingAllocations failing_allocations;

}  // namespace kfdcts::thunk

void* operator new(std::size_t size) {
  auto& failing = kfdcts::thunk::failing_allocations;
  if (failing.sheltered == 0 && failing.left >= 0 && failing.left-- == 0) {
    failing.failed = true;
    throw std::bad_alloc();
  }
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}

// All of them, or else what one allocates another's heap would free under a sanitizer.
void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
  try {
    return operator new(size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void operator delete(void* memory) noexcept { std::free(memory); }

void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

void operator delete(void* memory, const std::nothrow_t& /*tag*/) noexcept { std::free(memory); }
