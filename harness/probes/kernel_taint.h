#pragma once

#include <cstdint>
#include <string>

namespace kfdcts::harness {

/// Notices a kernel that warns, oopses or locks up and goes on, by its taint flags.
class KernelTaint {
 public:
  explicit KernelTaint(std::string file = "/proc/sys/kernel/tainted") : file_(std::move(file)) {}

  void Start() { before_ = Read(); }

  /// The flags that came since Start(), in words; empty: none. Only those of the kernel's own
  /// troubles count, not a module loaded in between.
  std::string Difference() const;

 private:
  std::uint64_t Read() const;

  std::string file_;
  std::uint64_t before_ = 0;
};

}  // namespace kfdcts::harness
