#pragma once

#include <cstddef>
#include <utility>

#include "harness/gpu/unique_fd.h"

namespace kfdcts::suites {

/// Two ends of a stream, closed on exec. Throws std::system_error.
std::pair<gpu::UniqueFd, gpu::UniqueFd> SocketPair();

/// All of it, whatever signals come. False at the other side's end or an error.
bool ReadAll(int fd, void* data, std::size_t bytes);
bool WriteAll(int fd, const void* data, std::size_t bytes);

}  // namespace kfdcts::suites
