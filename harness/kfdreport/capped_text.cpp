#include "harness/kfdreport/capped_text.h"

#include <algorithm>

namespace kfdcts::report {
namespace {

bool IsContinuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

}  // namespace

std::string_view CutUtf8(std::string_view text, std::size_t cap) {
  if (text.size() <= cap) return text;
  while (cap > 0 && IsContinuation(text[cap])) --cap;
  return text.substr(0, cap);
}

void CappedText::Add(std::string_view piece) {
  length_ += piece.size();
  if (head_.size() < head_cap_) {
    const std::size_t part = std::min(head_cap_ - head_.size(), piece.size());
    head_.append(piece.substr(0, part));
    piece.remove_prefix(part);
  }
  if (piece.size() > tail_cap_) {
    tail_.assign(piece.substr(piece.size() - tail_cap_));
    return;
  }
  tail_.append(piece);
  if (tail_.size() > 2 * tail_cap_) tail_.erase(0, tail_.size() - tail_cap_);
}

std::string CappedText::Take() {
  std::string text;
  if (length_ <= head_cap_ + tail_cap_) {
    text = head_ + tail_;
  } else {
    if (tail_.size() > tail_cap_) tail_.erase(0, tail_.size() - tail_cap_);
    std::size_t begin = 0;
    while (begin < tail_.size() && IsContinuation(tail_[begin])) ++begin;
    std::size_t end = head_.size();
    // The last character may have been cut: it goes whole.
    while (end > 0 && IsContinuation(head_[end - 1])) --end;
    if (end > 0 && static_cast<unsigned char>(head_[end - 1]) >= 0x80U) --end;
    const std::uint64_t missing = length_ - end - (tail_.size() - begin);
    text = head_.substr(0, end);
    if (!text.empty() && text.back() != '\n') text += '\n';
    text += "[… " + std::to_string(missing) + " bytes left out …]\n";
    text.append(tail_, begin);
  }
  head_.clear();
  tail_.clear();
  length_ = 0;
  return text;
}

}  // namespace kfdcts::report
