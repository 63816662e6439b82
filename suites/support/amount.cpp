#include "suites/support/amount.h"

#include <charconv>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace kfdcts::suites {

std::uint64_t Amount(const char* variable, std::uint64_t ordinary) {
  const char* const text = std::getenv(variable);
  if (text == nullptr) return ordinary;
  const std::string value = text;
  std::uint64_t amount = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), amount);
  if (error != std::errc() || end != value.data() + value.size() || amount == 0) {
    throw std::runtime_error(std::string(variable) + "=" + value + " is no number above 0");
  }
  return amount;
}

}  // namespace kfdcts::suites
