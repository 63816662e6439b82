#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kfdcts::report {

/// How many bytes of test cases' texts a program keeps at most, all files together.
class TextBudget {
 public:
  static constexpr std::size_t kTotal = 256U << 20U;
  static constexpr std::size_t kText = 64U << 10U;  ///< Of one text, while there is plenty.
  static constexpr std::size_t kShort = 2U << 10U;  ///< Once half of the total is used.

  /// The cap of a text that begins now; 0 where all is used.
  std::size_t Cap() const {
    if (used_ >= kTotal) return 0;
    return used_ >= kTotal / 2 ? kShort : kText;
  }
  void Use(std::size_t bytes) { used_ += bytes; }

 private:
  std::size_t used_ = 0;
};

/// A text of any length that arrives in pieces; its beginning and its end are kept.
class CappedText {
 public:
  /// An eighth of `cap` is for the beginning, the rest for the end, where failures tell.
  explicit CappedText(std::size_t cap) : head_cap_(cap / 8), tail_cap_(cap - cap / 8) {}

  void Add(std::string_view piece);
  bool Empty() const { return length_ == 0; }

  /// The text, UTF-8 as its pieces were; where it was longer than the cap, a line in the middle
  /// says how many bytes are missing.
  std::string Take();

 private:
  std::size_t head_cap_;
  std::size_t tail_cap_;
  std::uint64_t length_ = 0;
  std::string head_;
  std::string tail_;  ///< At most twice its cap, cut back now and then.
};

/// The longest beginning of `text` of at most `cap` bytes that ends between two characters.
std::string_view CutUtf8(std::string_view text, std::size_t cap);

}  // namespace kfdcts::report
