#include "suites/scenarios/forked_child.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <exception>
#include <system_error>

#include "suites/scenarios/pipe_io.h"

namespace kfdcts::suites {

using harness::scenario::Step;

namespace {

Complaint RunAll(const std::vector<Step>& steps, const ForkedChild::Do& run) {
  for (const auto& step : steps) {
    try {
      if (auto complaint = run(step)) {
        return "line " + std::to_string(step.line) + ", in the child: " + *complaint;
      }
    } catch (const std::exception& error) {
      return "line " + std::to_string(step.line) + ", in the child: " + error.what();
    }
  }
  return std::nullopt;
}

[[noreturn]] void Serve(int channel, const ForkedChild::Do& run) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const std::vector<Step>* steps = nullptr;
  while (ReadAll(channel, &steps, sizeof steps)) {
    const std::string text = RunAll(*steps, run).value_or("");
    const std::size_t length = text.size();
    if (!WriteAll(channel, &length, sizeof length)) break;
    if (!WriteAll(channel, text.data(), length)) break;
  }
  _exit(0);
}

}  // namespace

ForkedChild::ForkedChild(const Do& run) {
  auto [here, there] = SocketPair();
  pid_ = fork();
  if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (pid_ == 0) {
    here.Close();
    Serve(there.get(), run);
  }
  channel_ = std::move(here);
}

ForkedChild::~ForkedChild() {
  channel_.Close();
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

Complaint ForkedChild::Run(const std::vector<Step>& steps) {
  const std::vector<Step>* const pointer = &steps;
  std::size_t length = 0;
  if (!WriteAll(channel_.get(), &pointer, sizeof pointer) ||
      !ReadAll(channel_.get(), &length, sizeof length)) {
    return "the child died";
  }
  std::string text(length, ' ');
  if (!ReadAll(channel_.get(), text.data(), length)) return "the child died";
  if (text.empty()) return std::nullopt;
  return text;
}

}  // namespace kfdcts::suites
