#include "harness/run/kernel_fault.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "harness/vm/base/unique_fd.h"

namespace kfdcts::harness {
namespace {

constexpr const char* kParameter = "/sys/module/drm/parameters/kfdcts_fault";

}  // namespace

void SetKernelFault(const std::map<std::string, std::string>& environment) {
  const auto fault = environment.find(kKernelFaultVariable);
  if (fault == environment.end()) return;
  // sysfs drops a write of nothing.
  const std::string line = fault->second + "\n";
  const vm::UniqueFd file(open(kParameter, O_WRONLY | O_CLOEXEC));
  if (!file || write(file.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
    throw std::system_error(errno, std::generic_category(), kParameter);
  }
}

}  // namespace kfdcts::harness
