#include "harness/run/event_sink.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace kfdcts::harness {
namespace {

void WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw std::system_error(errno, std::generic_category(), "event stream");
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

void EventSink::Write(const Event& event) const {
  const std::string line = ToLine(event);
  for (const int fd : descriptors_) WriteAll(fd, line);
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
