#include "suites/support/status.h"

#include <array>
#include <utility>

namespace kfdcts::suites {
namespace {

#define STATUS(name) \
  std::pair<HSAKMT_STATUS, std::string_view> { name, #name }
constexpr std::array kStatusNames = {
    STATUS(HSAKMT_STATUS_SUCCESS),
    STATUS(HSAKMT_STATUS_ERROR),
    STATUS(HSAKMT_STATUS_DRIVER_MISMATCH),
    STATUS(HSAKMT_STATUS_INVALID_PARAMETER),
    STATUS(HSAKMT_STATUS_INVALID_HANDLE),
    STATUS(HSAKMT_STATUS_INVALID_NODE_UNIT),
    STATUS(HSAKMT_STATUS_NO_MEMORY),
    STATUS(HSAKMT_STATUS_BUFFER_TOO_SMALL),
    STATUS(HSAKMT_STATUS_NOT_IMPLEMENTED),
    STATUS(HSAKMT_STATUS_NOT_SUPPORTED),
    STATUS(HSAKMT_STATUS_UNAVAILABLE),
    STATUS(HSAKMT_STATUS_OUT_OF_RESOURCES),
    STATUS(HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED),
    STATUS(HSAKMT_STATUS_KERNEL_COMMUNICATION_ERROR),
    STATUS(HSAKMT_STATUS_KERNEL_ALREADY_OPENED),
    STATUS(HSAKMT_STATUS_HSAMMU_UNAVAILABLE),
    STATUS(HSAKMT_STATUS_WAIT_FAILURE),
    STATUS(HSAKMT_STATUS_WAIT_TIMEOUT),
    STATUS(HSAKMT_STATUS_MEMORY_ALREADY_REGISTERED),
    STATUS(HSAKMT_STATUS_MEMORY_NOT_REGISTERED),
    STATUS(HSAKMT_STATUS_MEMORY_ALIGNMENT),
};
#undef STATUS

}  // namespace

std::string NameOf(HSAKMT_STATUS status) {
  const std::string number = std::to_string(static_cast<int>(status));
  for (const auto& [value, name] : kStatusNames) {
    if (value == status) return std::string(name) + " (" + number + ")";
  }
  return "status " + number;
}

std::string NameOf(HSA_POINTER_TYPE type) {
  switch (type) {
    case HSA_POINTER_UNKNOWN:
      return "UNKNOWN";
    case HSA_POINTER_ALLOCATED:
      return "ALLOCATED";
    case HSA_POINTER_REGISTERED_USER:
      return "REGISTERED_USER";
    case HSA_POINTER_REGISTERED_GRAPHICS:
      return "REGISTERED_GRAPHICS";
    case HSA_POINTER_REGISTERED_SHARED:
      return "REGISTERED_SHARED";
    case HSA_POINTER_RESERVED_ADDR:
      return "RESERVED_ADDR";
  }
  return "type " + std::to_string(static_cast<int>(type));
}

ThunkFailure::ThunkFailure(std::string_view call, HSAKMT_STATUS status)
    : std::runtime_error(std::string(call) + ": " + NameOf(status)) {}

void Check(std::string_view call, HSAKMT_STATUS status) {
  if (status != HSAKMT_STATUS_SUCCESS) throw ThunkFailure(call, status);
}

}  // namespace kfdcts::suites

void PrintTo(HSAKMT_STATUS status, std::ostream* out) { *out << kfdcts::suites::NameOf(status); }

void PrintTo(HSA_POINTER_TYPE type, std::ostream* out) { *out << kfdcts::suites::NameOf(type); }
