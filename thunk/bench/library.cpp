#include "thunk/bench/library.h"

#include <dlfcn.h>

#include <stdexcept>

namespace kfdcts::bench {
namespace {

template <class Function>
void Take(void* library, const std::string& path, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (!function) throw std::runtime_error(path + ": no symbol " + name);
}

}  // namespace

Library LoadLibrary(const std::string& path) {
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) throw std::runtime_error(dlerror());
  Library library;
  Take(handle, path, "hsaKmtOpenKFD", library.open);
  Take(handle, path, "hsaKmtCloseKFD", library.close);
  Take(handle, path, "hsaKmtAcquireSystemProperties", library.acquire);
  Take(handle, path, "hsaKmtReleaseSystemProperties", library.release);
  Take(handle, path, "hsaKmtAllocMemory", library.allocate);
  Take(handle, path, "hsaKmtFreeMemory", library.free);
  Take(handle, path, "hsaKmtMapMemoryToGPU", library.map);
  Take(handle, path, "hsaKmtUnmapMemoryToGPU", library.unmap);
  Take(handle, path, "hsaKmtRegisterMemory", library.register_memory);
  Take(handle, path, "hsaKmtDeregisterMemory", library.deregister);
  Take(handle, path, "hsaKmtQueryPointerInfo", library.query);
  return library;
}

}  // namespace kfdcts::bench
