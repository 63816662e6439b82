// A caller as far as a thunk can see it: its soname, and what its relocations import.
#include <stddef.h>

int hsaKmtGetNodeProperties(unsigned node, void* properties);
int hsaKmtCreateQueueExt(unsigned node);

/// An address in this library's code.
const void* AddressInCaller(void) { return (const void*)(size_t)&AddressInCaller; }

int CallThunk(void) {
  int status = 0;
#ifdef CALLS_BY_NAME
  status += hsaKmtGetNodeProperties(0, NULL);
#endif
#ifdef NEW
  status += hsaKmtCreateQueueExt(0);
#endif
  return status;
}
