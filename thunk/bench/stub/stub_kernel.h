#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <string>

#include "thunk/test/fake/fake_kernel.h"

namespace kfdcts::bench {

/// A fake amdkfd below a whole library: the libc entry points of this program (interpose.cpp) give
/// it the KFD and DRM files' calls, and its sysfs is a private folder of real files. One at a time.
class StubKernel {
 public:
  /// `folder` is empty and becomes sysfs.
  StubKernel(thunk::FakeMachine machine, std::filesystem::path folder);
  ~StubKernel();
  StubKernel(const StubKernel&) = delete;
  StubKernel& operator=(const StubKernel&) = delete;

  /// The one that lives, or null: then every call is the real kernel's.
  static StubKernel* Active();

  thunk::FakeKernel& kernel() { return kernel_; }
  /// Device files that the fake kernel opens.
  static bool IsDevice(const char* path);
  /// The private file for a path of the topology or of DRM's sysfs; the path itself for others.
  std::string Redirect(const char* path) const;

  /// While on, reservations of address space (mmap of inaccessible plain memory, anywhere) are cut
  /// from one that is there already and never given back: a process may have 65,530 mappings, and a
  /// guard page around each of 100,000 objects makes more.
  void CutReservations(bool on) { cut_ = on; }
  /// Null where it does not apply.
  void* Reserve(std::size_t size, int protection, int flags);
  bool IsReserved(const void* address) const;

 private:
  void WriteFiles() const;

  thunk::FakeKernel kernel_;
  std::filesystem::path folder_;
  char* reservation_ = nullptr;
  std::atomic<std::size_t> reserved_{0};
  std::atomic<bool> cut_{false};
};

}  // namespace kfdcts::bench
