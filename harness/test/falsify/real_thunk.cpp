#include "harness/test/falsify/real_thunk.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

namespace kfdcts::falsify {

void* RealFunction(const char* name) {
  // Already loaded, as a dependency of this library; the dynamic linker's search path decides
  // which.
  static void* const library = dlopen("libhsakmt.so.1", RTLD_LAZY | RTLD_NOLOAD);
  void* const function = library == nullptr ? nullptr : dlsym(library, name);
  if (function == nullptr) {
    std::fprintf(stderr, "falsifying shim: libhsakmt.so.1 has no %s\n", name);
    std::abort();
  }
  return function;
}

}  // namespace kfdcts::falsify
