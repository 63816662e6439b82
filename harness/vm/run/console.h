#pragma once

#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace kfdcts::vm {

/// Reads the guest's console as it comes: keeps its last lines, and knows the death of a kernel and
/// the guest's own lines when it sees them.
class Console {
 public:
  static constexpr std::size_t kTailLines = 40;

  /// `on_stage` gets the names that guest/init announces.
  explicit Console(std::function<void(const std::string&)> on_stage)
      : on_stage_(std::move(on_stage)) {}

  void Feed(std::string_view bytes);

  bool panicked() const { return panicked_; }  ///< "Kernel panic".
  bool oopsed() const {
    return !oops_.empty();
  }  ///< An oops, with or without the panic that follows it.
  const std::string& oops() const { return oops_; }  ///< The first such line.
  const std::string& panic() const { return panic_; }
  const std::string& failure() const {
    return failure_;
  }  ///< What guest/init or the agent gave up for.

  /// Oldest first, with an unfinished one.
  std::vector<std::string> Tail() const;

 private:
  void Line(std::string line);

  std::function<void(const std::string&)> on_stage_;
  std::string pending_;
  std::deque<std::string> tail_;
  std::string oops_;
  std::string panic_;
  std::string failure_;
  bool panicked_ = false;
};

}  // namespace kfdcts::vm
