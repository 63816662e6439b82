#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>

#include "harness/gpu/unique_fd.h"

namespace kfdcts::check {

/// A forked process that runs `body`, for checks that need several. It must be forked before this
/// process opens KFD or starts a thread. Killed and reaped at the end.
class Worker {
 public:
  /// What the body has to talk with its parent: both block.
  class Line {
   public:
    Line(gpu::UniqueFd in, gpu::UniqueFd out) : in_(std::move(in)), out_(std::move(out)) {}
    /// Tells the other side to go on.
    void Signal() const;
    /// Waits for the other side's Signal. False where it has ended instead.
    bool Wait() const;

   private:
    gpu::UniqueFd in_, out_;
  };

  /// `body` returns an empty text, or what went wrong; an exception's text counts as the latter.
  explicit Worker(const std::function<std::string(Line&)>& body);
  Worker(Worker&& other) noexcept;
  Worker& operator=(Worker&&) = delete;
  ~Worker();

  Line& line() { return *line_; }

  /// Waits for the end. Empty where the body returned an empty text.
  std::string Finish();

 private:
  pid_t pid_ = -1;
  std::unique_ptr<Line> line_;
  gpu::UniqueFd report_;
};

}  // namespace kfdcts::check
