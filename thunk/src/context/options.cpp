#include "thunk/src/context/options.h"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <optional>

namespace kfdcts::thunk {
namespace {

/// Set, and not to "0".
bool IsOn(const char* name, bool unset) {
  const char* value = std::getenv(name);
  return value == nullptr ? unset : std::strcmp(value, "0") != 0;
}

/// A decimal number up to `greatest`; nothing where the variable is unset or anything else.
std::optional<unsigned> Number(const char* name, unsigned greatest) {
  const char* value = std::getenv(name);
  if (value == nullptr) return std::nullopt;
  const char* end = value + std::strlen(value);
  unsigned number = 0;
  const auto result = std::from_chars(value, end, number);
  if (result.ec != std::errc{} || result.ptr != end || number > greatest) return std::nullopt;
  return number;
}

}  // namespace

Options Options::FromEnvironment() {
  constexpr unsigned kMostGuardPages = 1U << 20U;
  constexpr unsigned kGreatestAlign = 18;  // 1 GiB of 4 KiB pages
  Options options;
  options.use_svm = IsOn("HSA_USE_SVM", true);
  const char* backend = std::getenv("HSAKMT_SVM_BACKEND");
  options.drm_svm = backend != nullptr && std::strcmp(backend, "drm") == 0;
  options.check_userptr = IsOn("HSA_CHECK_USERPTR", false);
  options.guard_pages = Number("HSA_SVM_GUARD_PAGES", kMostGuardPages).value_or(1);
  options.max_va_align = Number("HSA_MAX_VA_ALIGN", kGreatestAlign).value_or(9);
  return options;
}

}  // namespace kfdcts::thunk
