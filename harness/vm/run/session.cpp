#include "harness/vm/run/session.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "harness/vm/guest/program_spec.h"

namespace kfdcts::vm {
namespace {

using std::chrono::milliseconds;

constexpr auto kLastWords = std::chrono::seconds(10);
constexpr auto kDeath = std::chrono::seconds(10);
constexpr std::size_t kChunk = 65536;

enum class Got { kBytes, kNothing, kEnd };

/// One receive without waiting. Closes `fd` at its end.
Got Receive(UniqueFd& fd, std::string& bytes) {
  bytes.resize(kChunk);
  ssize_t got;
  do {
    got = recv(fd.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
  } while (got < 0 && errno == EINTR);
  if (got > 0) {
    bytes.resize(static_cast<std::size_t>(got));
    return Got::kBytes;
  }
  bytes.clear();
  if (got < 0 && errno == EAGAIN) {
    return Got::kNothing;
  }
  fd.Reset();
  return Got::kEnd;
}

int NumberAfter(const std::string& line, std::size_t at) {
  int number = -1;
  std::from_chars(line.data() + at, line.data() + line.size(), number);
  return number;
}

}  // namespace

Session::Session(const GuestRun& run, SessionFds fds, ChildProcess& emulator,
                 std::vector<GpuProcess>& gpus, GuestResult& result)
    : run_(run),
      fds_(std::move(fds)),
      emulator_(emulator),
      gpus_(gpus),
      result_(result),
      console_([this](const std::string& stage) {
        result_.boot_stages.emplace_back(stage, Since(start_));
      }),
      kernel_log_([this](const KernelLine& line) {
        kernel_log_file_ << line.Raw() << '\n';
        log_ended_ = log_ended_ || line.text == kKernelLogEnd;
        if (run_.on_kernel_line) {
          run_.on_kernel_line(line);
        }
      }),
      console_file_(result.console_log, std::ios::binary),
      kernel_log_file_(result.kernel_log, std::ios::binary),
      input_open_(run.stdin_fd >= 0),
      start_(Clock::now()) {
  if (run_.gdb_port == 0) {
    boot_deadline_ = start_ + run_.boot_timeout;
  }
  if (!input_open_) {
    shutdown(fds_.in.get(), SHUT_WR);
  }
}

milliseconds Session::Since(Time start) const {
  return std::chrono::duration_cast<milliseconds>(Clock::now() - start);
}

void Session::Watch() {
  while (!Done()) {
    const std::vector<Source> sources = Sources();
    std::vector<pollfd> fds;
    for (const Source& source : sources) {
      fds.push_back({source.fd, source.events, 0});
    }
    if (poll(fds.data(), fds.size(), PollTimeout()) > 0) {
      for (std::size_t i = 0; i < fds.size(); ++i) {
        if (fds[i].revents != 0) {
          (this->*sources[i].handle)();
        }
      }
    }
    NoteDeath();
    CheckDeadlines();
  }
  DrainAll();
  Conclude();
}

std::vector<Session::Source> Session::Sources() {
  std::vector<Source> sources;
  const auto add = [&](int fd, void (Session::*handle)(), short events = POLLIN) {
    if (fd >= 0) {
      sources.push_back({fd, events, handle});
    }
  };
  add(fds_.console.get(), &Session::ReadConsole);
  add(fds_.control.get(), &Session::ReadControl);
  add(fds_.out.get(), &Session::ReadOut);
  add(fds_.err.get(), &Session::ReadErr);
  add(fds_.kernel_log.get(), &Session::ReadKernelLog);
  add(fds_.terminal.get(), &Session::ReadTerminal);
  if (input_open_ && started_ && input_pending_.size() < kChunk) {
    add(run_.stdin_fd, &Session::ReadInput);
  }
  if (!input_pending_.empty()) {
    add(run_.terminal ? fds_.terminal.get() : fds_.in.get(), &Session::WriteInput, POLLOUT);
  }
  add(run_.cancel_fd, &Session::Cancel);
  add(emulator_.pidfd(), &Session::EmulatorEnded);
  for (const GpuProcess& gpu : gpus_) {
    add(gpu.process.pidfd(), &Session::GpuEnded);
  }
  return sources;
}

bool Session::Done() const {
  return decided_ || emulator_ended_ || (program_ended_ && drained_ && log_ended_);
}

int Session::PollTimeout() const {
  std::optional<Time> next;
  for (const auto& deadline : {boot_deadline_, program_deadline_, end_deadline_, death_deadline_}) {
    if (deadline && (!next || *deadline < *next)) {
      next = deadline;
    }
  }
  if (!next) {
    return -1;
  }
  const auto left = std::chrono::ceil<milliseconds>(*next - Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 3600'000));
}

void Session::CheckDeadlines() {
  const auto passed = [now = Clock::now()](const std::optional<Time>& deadline) {
    return deadline && *deadline <= now;
  };
  if (decided_) {
    return;
  }
  if (passed(death_deadline_)) {
    decided_ = console_.oopsed() ? GuestResult::End::kOopsed : GuestResult::End::kPanicked;
  } else if (passed(end_deadline_)) {
    drained_ = log_ended_ = true;
  } else if (passed(program_deadline_)) {
    Decide(GuestResult::End::kTimedOut,
           "the program still ran after " + std::to_string(run_.timeout.count()) + " s");
  } else if (passed(boot_deadline_)) {
    Decide(GuestResult::End::kNeverUp,
           "the guest did not come up within " + std::to_string(run_.boot_timeout.count()) + " s");
  }
}

void Session::NoteDeath() {
  if ((console_.oopsed() || console_.panicked()) && !death_deadline_) {
    death_deadline_ = Clock::now() + kDeath;
  }
  if (!console_.failure().empty() && !decided_) {
    Decide(GuestResult::End::kNeverUp, console_.failure());
  }
}

void Session::Decide(GuestResult::End end, std::string reason) {
  if (!decided_) {
    decided_ = end;
    result_.reason = std::move(reason);
  }
}

void Session::ReadConsole() {
  std::string bytes;
  if (Receive(fds_.console, bytes) == Got::kBytes) {
    console_file_ << bytes;
    console_.Feed(bytes);
  }
}

void Session::ReadControl() {
  std::string bytes;
  if (Receive(fds_.control, bytes) != Got::kBytes) {
    return;
  }
  control_pending_ += bytes;
  for (auto end = control_pending_.find('\n'); end != std::string::npos;
       end = control_pending_.find('\n')) {
    ControlLine(control_pending_.substr(0, end));
    control_pending_.erase(0, end + 1);
  }
}

void Session::ControlLine(const std::string& line) {
  constexpr std::string_view kStarted = "started ";
  constexpr std::string_view kExit = "exit ";
  constexpr std::string_view kSignal = "signal ";
  if (line.starts_with(kStarted)) {
    started_ = true;
    program_start_ = Clock::now();
    result_.boot_time = Since(start_);
    result_.kernel_release = line.substr(kStarted.size());
    boot_deadline_.reset();
    if (run_.timeout.count() > 0) {
      program_deadline_ = program_start_ + run_.timeout;
    }
  } else if (line.starts_with(kExit) || line.starts_with(kSignal)) {
    program_ended_ = true;
    result_.program_time = Since(program_start_);
    program_deadline_.reset();
    end_deadline_ = Clock::now() + kLastWords;
    if (line.starts_with(kExit)) {
      result_.exit_code = NumberAfter(line, kExit.size());
    } else {
      result_.signal = NumberAfter(line, kSignal.size());
    }
  } else if (line.starts_with("drained")) {
    drained_ = true;
  }
}

void Session::ReadOut() {
  std::string bytes;
  if (Receive(fds_.out, bytes) == Got::kBytes && run_.on_stdout) {
    run_.on_stdout(bytes);
  }
}

void Session::ReadErr() {
  std::string bytes;
  if (Receive(fds_.err, bytes) == Got::kBytes && run_.on_stderr) {
    run_.on_stderr(bytes);
  }
}

void Session::ReadTerminal() {
  std::string bytes;
  if (Receive(fds_.terminal, bytes) == Got::kBytes && run_.on_stdout) {
    run_.on_stdout(bytes);
  }
}

void Session::ReadKernelLog() {
  std::string bytes;
  if (Receive(fds_.kernel_log, bytes) == Got::kBytes) {
    kernel_log_.Feed(bytes);
  }
}

void Session::ReadInput() {
  std::array<char, kChunk> buffer;
  const ssize_t got = read(run_.stdin_fd, buffer.data(), buffer.size());
  if (got > 0) {
    input_pending_.append(buffer.data(), static_cast<std::size_t>(got));
  } else if (got == 0 || (errno != EINTR && errno != EAGAIN)) {
    input_open_ = false;
    if (input_pending_.empty()) {
      shutdown(fds_.in.get(), SHUT_WR);
    }
  }
}

void Session::WriteInput() {
  UniqueFd& port = run_.terminal ? fds_.terminal : fds_.in;
  const ssize_t put =
      send(port.get(), input_pending_.data(), input_pending_.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (put > 0) {
    input_pending_.erase(0, static_cast<std::size_t>(put));
  } else if (errno != EAGAIN && errno != EINTR) {
    input_open_ = false;
    input_pending_.clear();
  }
  if (!input_open_ && input_pending_.empty()) {
    shutdown(port.get(), SHUT_WR);
  }
}

void Session::Cancel() { Decide(GuestResult::End::kCancelled, "interrupted"); }

void Session::EmulatorEnded() {
  if (const auto status = emulator_.TryReap()) {
    emulator_ended_ = true;
    result_.reason = "the emulator " + DescribeStatus(*status);
  }
}

void Session::GpuEnded() {
  for (GpuProcess& gpu : gpus_) {
    if (!gpu.process.running()) {
      continue;
    }
    // They also end, and properly, when the emulator did; that is found first then.
    const auto status = gpu.process.TryReap();
    if (status && !emulator_.WaitFor(std::chrono::seconds(1))) {
      Decide(started_ ? GuestResult::End::kLost : GuestResult::End::kNeverUp,
             "virtual GPU " + gpu.name + " " + DescribeStatus(*status));
    } else if (status) {
      emulator_ended_ = true;
      result_.reason = "the emulator ended";
    }
  }
}

void Session::DrainAll() {
  const auto drain = [&](UniqueFd& fd, void (Session::*handle)()) {
    // Until nothing is left: recv gives EAGAIN, which leaves the descriptor open, or the end, which
    // closes it.
    std::array<char, 1> peek;
    while (fd && recv(fd.get(), peek.data(), 1, MSG_DONTWAIT | MSG_PEEK) >= 0) {
      (this->*handle)();
    }
  };
  drain(fds_.console, &Session::ReadConsole);
  drain(fds_.control, &Session::ReadControl);
  drain(fds_.out, &Session::ReadOut);
  drain(fds_.err, &Session::ReadErr);
  drain(fds_.terminal, &Session::ReadTerminal);
  drain(fds_.kernel_log, &Session::ReadKernelLog);
  console_file_.flush();
  kernel_log_file_.flush();
}

void Session::Conclude() {
  result_.console_tail = console_.Tail();
  if (console_.oopsed() || console_.panicked()) {
    result_.end = console_.oopsed() ? GuestResult::End::kOopsed : GuestResult::End::kPanicked;
    result_.reason = console_.oopsed() ? console_.oops() : console_.panic();
  } else if (!console_.failure().empty()) {
    result_.end = GuestResult::End::kNeverUp;
    result_.reason = console_.failure();
  } else if (decided_) {
    result_.end = *decided_;
  } else if (program_ended_) {
    result_.end = result_.signal != 0 ? GuestResult::End::kSignalled : GuestResult::End::kExited;
    result_.reason.clear();
  } else {
    result_.end = started_ ? GuestResult::End::kLost : GuestResult::End::kNeverUp;
    result_.reason += started_ ? " while the program ran" : " before the program ran";
  }
}

}  // namespace kfdcts::vm
