#include "harness/run/event_sink.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "harness/vm/base/files.h"

namespace kfdcts::harness {
void EventSink::Write(const Event& event) const {
  const std::string line = ToLine(event);
  for (const int fd : descriptors_) vm::WriteAll(fd, line, "event stream");
}

std::string ReadFrom(int fd, std::int64_t offset, std::size_t limit) {
  struct stat status {};
  if (fstat(fd, &status) != 0 || status.st_size <= offset) return "";
  const auto begin = std::max<std::int64_t>(offset, status.st_size - std::int64_t(limit));
  std::string bytes(static_cast<std::size_t>(status.st_size - begin), '\0');
  std::size_t have = 0;
  while (have < bytes.size()) {
    const ssize_t got = pread(fd, bytes.data() + have, bytes.size() - have,
                              static_cast<off_t>(begin + std::int64_t(have)));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    have += static_cast<std::size_t>(got);
  }
  bytes.resize(have);
  return bytes;
}

}  // namespace kfdcts::harness
