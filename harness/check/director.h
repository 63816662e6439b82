#pragma once

#include <cstddef>
#include <string>

#include "harness/gpu/unique_fd.h"

namespace kfdcts::check {

/// The director of a virtual GPU, as the guest sees it: one JSON object a line each way. One opener
/// at a time.
class Director {
 public:
  explicit Director(std::size_t gpu);

  bool present() const { return port_.valid(); }

  /// The answer to {"do": `command`}. Throws std::runtime_error where none comes.
  std::string Do(const std::string& command);

 private:
  gpu::UniqueFd port_;
};

}  // namespace kfdcts::check
