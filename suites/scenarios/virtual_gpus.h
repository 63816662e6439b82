#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "harness/director/director.h"
#include "harness/test_support/gpu_node.h"

namespace kfdcts::suites {

/// Orders to the directors of virtual GPUs, all undone at the end.
class VirtualGpus {
 public:
  /// `what` as in scenario::Hold. Throws harness::DirectorError.
  void Hold(const harness::GpuNode& gpu, const std::string& what);
  /// Nothing where it is not held.
  void Release(const harness::GpuNode& gpu, const std::string& what);
  void ReleaseAll() { holds_.clear(); }

 private:
  std::map<int, std::unique_ptr<harness::Director>> directors_;  // by ordinal
  std::map<std::pair<int, std::string>, harness::DirectorHold> holds_;
};

}  // namespace kfdcts::suites
