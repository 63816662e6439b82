#include "harness/probes/kernel_taint.h"

#include <array>
#include <fstream>
#include <utility>

namespace kfdcts::harness {
namespace {

// Documentation/admin-guide/tainted-kernels.rst
constexpr std::array<std::pair<unsigned, const char*>, 5> kTroubles = {{
    {4, "machine check"},
    {5, "bad page"},
    {7, "oops"},
    {9, "warning (see the kernel's log)"},
    {14, "soft lockup"},
}};

}  // namespace

std::uint64_t KernelTaint::Read() const {
  std::ifstream in(file_);
  std::uint64_t flags = 0;
  in >> flags;
  return flags;
}

std::string KernelTaint::Difference() const {
  const std::uint64_t fresh = Read() & ~before_;
  std::string words;
  for (const auto& [bit, word] : kTroubles) {
    if ((fresh >> bit & 1U) != 0) words += (words.empty() ? "" : ", ") + std::string(word);
  }
  return words;
}

}  // namespace kfdcts::harness
