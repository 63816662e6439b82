#pragma once

#include <cstdint>
#include <span>

namespace kfdcts::harness {

/// Installs a filter on the calling thread that answers the system calls `numbers` with `action`
/// (SECCOMP_RET_…) and allows all others. With SECCOMP_RET_USER_NOTIF the result is the listener's
/// descriptor, else 0; a negative errno where the kernel refuses. Sets no_new_privs.
int InstallSeccompFilter(std::span<const int> numbers, std::uint32_t action);

}  // namespace kfdcts::harness
