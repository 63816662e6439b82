#include "harness/check/director.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>

#include "harness/gpu/wait.h"

namespace kfdcts::check {

Director::Director(std::size_t gpu)
    : port_(open(("/dev/virtio-ports/kfdcts.director." + std::to_string(gpu)).c_str(),
                 O_RDWR | O_CLOEXEC | O_NONBLOCK)) {}

std::string Director::Do(const std::string& command) {
  const std::string line = R"({"do": ")" + command + "\"}\n";
  if (write(port_.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
    throw std::runtime_error("the director takes nothing");
  }
  std::string answer;
  const gpu::Deadline deadline(gpu::kGpuTimeout);
  while (answer.empty() || answer.back() != '\n') {
    pollfd port{port_.get(), POLLIN, 0};
    if (poll(&port, 1, static_cast<int>(deadline.RemainingMs())) == 0) {
      throw std::runtime_error("the director does not answer");
    }
    char byte = 0;
    const ssize_t got = read(port_.get(), &byte, 1);
    if (got == 1) answer.push_back(byte);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
      throw std::runtime_error("the director is gone");
    }
  }
  answer.pop_back();
  return answer;
}

}  // namespace kfdcts::check
