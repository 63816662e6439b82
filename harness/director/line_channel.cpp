#include "harness/director/line_channel.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

namespace kfdcts::harness {

LineChannel LineChannel::Open(const std::string& path) {
  int fd = -1;
  do {
    fd = open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  } while (fd < 0 && errno == EINTR);
  if (fd >= 0) return {vm::UniqueFd(fd), path};
  const char* hint = errno == EBUSY ? " (somebody has it open)" : "";
  throw DirectorError(path + ": " + std::strerror(errno) + hint);
}

LineChannel::LineChannel(vm::UniqueFd fd, std::string name)
    : fd_(std::move(fd)), name_(std::move(name)) {
  const int flags = fcntl(fd_.get(), F_GETFL);
  if (flags < 0 || fcntl(fd_.get(), F_SETFL, flags | O_NONBLOCK) != 0) Fail(std::strerror(errno));
}

void LineChannel::Fail(const std::string& what) const { throw DirectorError(name_ + ": " + what); }

void LineChannel::Wait(short events, const gpu::Deadline& deadline) const {
  pollfd polled = {fd_.get(), events, 0};
  while (true) {
    const int ready = poll(&polled, 1, static_cast<int>(deadline.RemainingMs()));
    if (ready < 0 && errno != EINTR) Fail(std::strerror(errno));
    if (ready > 0 && (polled.revents & events) != 0) return;
    if (ready > 0) Fail("the other end is closed");
    if (deadline.expired()) {
      Fail((events & POLLIN) != 0 ? "no answer in time" : "takes no command in time");
    }
  }
}

void LineChannel::Write(std::string line, const gpu::Deadline& deadline) {
  line += '\n';
  for (std::string_view rest = line; !rest.empty();) {
    const ssize_t written = write(fd_.get(), rest.data(), rest.size());
    if (written > 0) {
      rest.remove_prefix(static_cast<std::size_t>(written));
    } else if (written == 0 || errno == EAGAIN) {
      Wait(POLLOUT, deadline);
    } else if (errno != EINTR) {
      Fail(std::strerror(errno));
    }
  }
}

std::string LineChannel::Read(const gpu::Deadline& deadline) {
  while (true) {
    const std::size_t end = received_.find('\n');
    if (end != std::string::npos) {
      std::string line = received_.substr(0, end);
      received_.erase(0, end + 1);
      return line;
    }
    if (received_.size() > kMaxLineBytes) Fail("a line without end");
    char buffer[4096];
    const ssize_t got = read(fd_.get(), buffer, sizeof buffer);
    if (got > 0) {
      received_.append(buffer, static_cast<std::size_t>(got));
    } else if (got == 0) {
      Fail("the other end is closed");
    } else if (errno == EAGAIN) {
      Wait(POLLIN, deadline);
    } else if (errno != EINTR) {
      Fail(std::strerror(errno));
    }
  }
}

}  // namespace kfdcts::harness
