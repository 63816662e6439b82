#include "thunk/test/fake/call_book.h"

#include <utility>

namespace kfdcts::thunk {

int CallBook::Enter(CallKind kind) {
  ++total_;
  const std::uint64_t of_kind = ++counts_[static_cast<std::size_t>(kind)];
  if (failure_.n == 0 || (failure_.kind && failure_.kind != kind)) return 0;
  if ((failure_.kind ? of_kind : total_) != failure_.n) return 0;
  last_failed_ = kind;
  return -std::exchange(failure_, {}).error;
}

void CallBook::FailNth(std::uint64_t n, int error) { failure_ = {std::nullopt, n, error}; }

void CallBook::FailNthOf(CallKind kind, std::uint64_t n, int error) { failure_ = {kind, n, error}; }

void CallBook::Restart() { *this = {}; }

}  // namespace kfdcts::thunk
