#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "harness/test_support/gpu_node.h"
#include "harness/thunk/thunk.h"

namespace kfdcts::harness {

/// What the kernel says of memory, as text: a line for each run of pages whose SVM attributes are
/// the same, with address, size, attributes and where the pages are. Where two ranges with the same
/// attributes meet does not show. Refers to the thunk's table.
class SvmMap {
 public:
  SvmMap(const ThunkApi& thunk, std::span<const GpuNode> gpus)
      : thunk_(thunk), gpus_(gpus.begin(), gpus.end()) {}

  /// Any memory, mapped or not. Of more than 64 pages every second, third… is asked about. Never
  /// throws; not to be called in a process whose system calls are counted.
  std::string Of(std::span<const std::byte> pages) const noexcept;

 private:
  std::string AttributesOf(const std::byte* start, std::size_t bytes) const;

  const ThunkApi& thunk_;
  std::vector<GpuNode> gpus_;
};

/// "mmvv..": see gpu::PageLetters. Runs longer than eight as "m×512".
std::string ShortResidency(const std::string& letters);

}  // namespace kfdcts::harness
