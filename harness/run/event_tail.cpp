#include "harness/run/event_tail.h"

#include <fcntl.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

namespace kfdcts::harness {
namespace {

/// Empty at the end of what there is.
std::string ReadChunk(int fd) {
  std::array<char, 8192> chunk{};
  ssize_t got = 0;
  while ((got = read(fd, chunk.data(), chunk.size())) < 0 && errno == EINTR) {
  }
  return got > 0 ? std::string(chunk.data(), static_cast<std::size_t>(got)) : std::string();
}

}  // namespace

EventTail::EventTail(std::filesystem::path file)
    : file_(std::move(file)), inotify_(inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
  const auto folder = file_.parent_path();
  if (!inotify_ || inotify_add_watch(inotify_.get(), folder.c_str(), IN_CREATE | IN_MODIFY) < 0) {
    throw std::system_error(errno, std::generic_category(), folder.string());
  }
}

std::vector<Event> EventTail::Read() {
  // The wake-ups first: one that comes after them is for what is not read below.
  while (!ReadChunk(inotify_.get()).empty()) {
  }
  if (!stream_) stream_.Reset(open(file_.c_str(), O_RDONLY | O_CLOEXEC));
  std::vector<Event> events;
  if (!stream_) return events;
  for (std::string bytes; !(bytes = ReadChunk(stream_.get())).empty();) {
    for (auto& event : reader_.Feed(bytes)) events.push_back(std::move(event));
  }
  return events;
}

}  // namespace kfdcts::harness
