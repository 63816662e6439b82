#include "harness/check/processes.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <exception>
#include <utility>

#include "harness/gpu/error.h"

namespace kfdcts::check {
namespace {

using gpu::UniqueFd;

struct Pipe {
  UniqueFd read, write;
};

Pipe MakePipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw gpu::GpuError(errno, "pipe");
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

std::string RunBody(const std::function<std::string(Worker::Line&)>& body, Worker::Line& line) {
  try {
    return body(line);
  } catch (const std::exception& error) {
    return std::string("threw: ") + error.what();
  }
}

}  // namespace

void Worker::Line::Signal() const {
  const char byte = '.';
  while (write(out_.get(), &byte, 1) < 0 && errno == EINTR) {
  }
}

bool Worker::Line::Wait() const {
  char byte = 0;
  ssize_t got = 0;
  while ((got = read(in_.get(), &byte, 1)) < 0 && errno == EINTR) {
  }
  return got == 1;
}

Worker::Worker(const std::function<std::string(Line&)>& body) {
  Pipe down = MakePipe(), up = MakePipe(), report = MakePipe();
  pid_ = fork();
  if (pid_ < 0) throw gpu::GpuError(errno, "fork");
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    down.write.Close();
    up.read.Close();
    report.read.Close();
    Line line(std::move(down.read), std::move(up.write));
    const std::string text = RunBody(body, line);
    const bool told =
        write(report.write.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
    _exit(text.empty() && told ? 0 : 1);
  }
  line_ = std::make_unique<Line>(std::move(up.read), std::move(down.write));
  report_ = std::move(report.read);
}

Worker::Worker(Worker&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      line_(std::move(other.line_)),
      report_(std::move(other.report_)) {}

Worker::~Worker() {
  if (pid_ < 0) return;
  kill(pid_, SIGKILL);
  Finish();
}

std::string Worker::Finish() {
  std::string text;
  char buffer[512];
  for (ssize_t got = 1; got != 0;) {
    got = read(report_.get(), buffer, sizeof buffer);
    if (got < 0 && errno != EINTR) break;
    if (got > 0) text.append(buffer, static_cast<std::size_t>(got));
  }
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  if (WIFSIGNALED(status)) return text + " killed by signal " + std::to_string(WTERMSIG(status));
  if (WEXITSTATUS(status) != 0 && text.empty())
    return "exit code " + std::to_string(WEXITSTATUS(status));
  return text;
}

}  // namespace kfdcts::check
