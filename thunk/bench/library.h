#pragma once

#include <string>

#include "hsakmt/hsakmt.h"

namespace kfdcts::bench {

/// The calls that are measured, of one library.
struct Library {
  decltype(&hsaKmtOpenKFD) open = nullptr;
  decltype(&hsaKmtCloseKFD) close = nullptr;
  decltype(&hsaKmtAcquireSystemProperties) acquire = nullptr;
  decltype(&hsaKmtReleaseSystemProperties) release = nullptr;
  decltype(&hsaKmtAllocMemory) allocate = nullptr;
  decltype(&hsaKmtFreeMemory) free = nullptr;
  decltype(&hsaKmtMapMemoryToGPU) map = nullptr;
  decltype(&hsaKmtUnmapMemoryToGPU) unmap = nullptr;
  decltype(&hsaKmtRegisterMemory) register_memory = nullptr;
  decltype(&hsaKmtDeregisterMemory) deregister = nullptr;
  decltype(&hsaKmtQueryPointerInfo) query = nullptr;
};

/// Throws std::runtime_error where the file or one of its symbols cannot be had.
Library LoadLibrary(const std::string& path);

}  // namespace kfdcts::bench
