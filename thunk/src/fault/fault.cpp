#include "thunk/src/fault/fault.h"

#ifdef KFDCTS_THUNK_FAULTS

#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <string_view>

namespace kfdcts::thunk {
namespace {

constexpr const char* kVariable = "KFDCTS_THUNK_FAULT";

constexpr std::string_view kNames[] = {
#define KFDCTS_FAULT(name, rules, what) #name,
#include "thunk/src/fault/faults.inc"
#undef KFDCTS_FAULT
};

std::optional<Fault> ReadVariable() {
  const char* const chosen = std::getenv(kVariable);
  if (chosen == nullptr || *chosen == '\0') return std::nullopt;
  for (std::size_t i = 0; i < std::size(kNames); ++i) {
    if (kNames[i] == chosen) return static_cast<Fault>(i);
  }
  std::fprintf(stderr, "libhsakmt: %s=%s: there is no such fault\n", kVariable, chosen);
  std::abort();
}

const std::optional<Fault> chosen_fault = ReadVariable();

}  // namespace

bool Broken(Fault fault) { return chosen_fault == fault; }

}  // namespace kfdcts::thunk

#endif
