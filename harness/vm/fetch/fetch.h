#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "harness/vm/boot/kernel_image.h"
#include "harness/vm/fetch/kernels.h"
#include "harness/vm/fetch/private_apt.h"
#include "harness/vm/fetch/qemu.h"

namespace kfdcts::vm {

/// Gets what the system lacks into the cache. One process at a time does the work, others wait for
/// it. An interrupted fetch leaves nothing that a later one would take for complete.
class Fetcher {
 public:
  Fetcher(std::filesystem::path cache, Notice notice, int cancel_fd = -1);

  /// The emulator out of the cache; fetched if it is not there.
  Qemu QemuFromCache();

  /// The newest kernel of the series out of the cache; fetched if there is none. `newest` asks the
  /// mirror in any case.
  Kernel KernelFromCache(const KernelSeries& series, bool newest = false);

 private:
  template <typename Found>
  Found UnderLock(const std::function<std::optional<Found>()>& find,
                  const std::function<void()>& fetch);
  void FetchQemu();
  void FetchKernel(const KernelSeries& series);
  std::filesystem::path FreshFolder() const;

  std::filesystem::path cache_;
  Notice notice_;
  int cancel_fd_;
};

}  // namespace kfdcts::vm
