// ROCr as far as a thunk can see it: who calls, and what its relocations import.
#include <stddef.h>

int hsaKmtGetNodeProperties(unsigned node, void* properties);
int hsaKmtCreateQueueExt(unsigned node);

/// An address in this library's code.
const void* AddressInRuntime(void) { return (const void*)(size_t)&AddressInRuntime; }

int CallThunk(void) {
#if YEAR >= 2025
  return hsaKmtGetNodeProperties(0, NULL) + hsaKmtCreateQueueExt(0);
#else
  return hsaKmtGetNodeProperties(0, NULL);
#endif
}
