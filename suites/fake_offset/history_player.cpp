#include "suites/fake_offset/history_player.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <system_error>
#include <utility>

#include "suites/fake_offset/fd_passing.h"

namespace kfdcts::suites {
namespace {

using Kind = Step::Kind;

UniqueFd OpenPid(pid_t pid) {
  UniqueFd pidfd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  if (!pidfd.valid()) throw std::system_error(errno, std::generic_category(), "pidfd_open");
  return pidfd;
}

}  // namespace

HistoryPlayer::HistoryPlayer(OffsetSource& source, int mapped_alone) : model_(mapped_alone) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  source.Open();  // what the source keeps for its files is there before the processes are
  SocketPair sockets;
  const pid_t pid = fork();
  if (pid < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (pid == 0) {
    sockets.one.Close();
    Work(source, std::move(sockets.other));
  }
  Add(0, std::move(sockets.one), pid);
}

HistoryPlayer::~HistoryPlayer() {
  while (!processes_.empty()) Kill(processes_.begin()->first);
}

void HistoryPlayer::Add(int process, UniqueFd connection, pid_t pid) {
  processes_[process] = {std::move(connection), OpenPid(pid)};
}

/// Its files are closed when the descriptor of a process tells its end.
void HistoryPlayer::Kill(int process) {
  const Process& victim = processes_.at(process);
  syscall(SYS_pidfd_send_signal, victim.pidfd.get(), SIGKILL, nullptr, 0);
  pollfd source{victim.pidfd.get(), POLLIN, 0};
  while (poll(&source, 1, -1) < 0 && errno == EINTR) {
  }
  processes_.erase(process);
  while (waitpid(-1, nullptr, WNOHANG) > 0) {
  }
}

Response HistoryPlayer::Tell(int process, const Request& request, int fd, UniqueFd* back) {
  const int socket = processes_.at(process).connection.get();
  SendBytes(socket, std::as_bytes(std::span(&request, 1)), fd);
  Response response;
  UniqueFd came = ReceiveBytes(socket, std::as_writable_bytes(std::span(&response, 1)));
  if (back != nullptr) *back = std::move(came);
  return response;
}

Answer HistoryPlayer::Pass(Request request) {
  UniqueFd dma_buf;
  const Answer given = Tell(request.step.process, request, -1, &dma_buf).answer;
  if (given.error != 0) return given;
  request.receives = true;
  return Tell(request.step.other, request, dma_buf.get()).answer;
}

Answer HistoryPlayer::Fork(Request request) {
  SocketPair sockets;
  const Response response = Tell(request.step.process, request, sockets.other.get());
  if (response.answer.error != 0) return response.answer;
  sockets.other.Close();
  Response child;
  ReceiveBytes(sockets.one.get(), std::as_writable_bytes(std::span(&child, 1)));
  Add(request.step.other, std::move(sockets.one), response.child);
  return child.answer;
}

Answer HistoryPlayer::Do(const Step& step) {
  if (step.kind == Kind::kDie) {
    Kill(step.process);
    return {};
  }
  Request request{.step = step};
  const bool about_buffer = step.kind == Kind::kAsk || step.kind == Kind::kExport ||
                            step.kind == Kind::kCloseHandle || step.kind == Kind::kMap ||
                            step.kind == Kind::kMapFirst || step.kind == Kind::kMapInside ||
                            step.kind == Kind::kMapPast;
  if (step.kind == Kind::kCreate) request.bytes = static_cast<std::uint64_t>(step.pages) * 4096;
  if (about_buffer) {
    const OffsetModel::Buffer& buffer = model_.BufferOf(step.buffer);
    request.offset = buffer.offset;
    request.bytes = static_cast<std::uint64_t>(buffer.pages) * 4096;
    request.handle = model_.HandleOf(step.file, step.buffer);
  }
  if (step.kind == Kind::kPass) return Pass(request);
  if (step.kind == Kind::kFork) return Fork(request);
  return Tell(step.process, request).answer;
}

std::optional<std::string> HistoryPlayer::Play(const Step& step) {
  if (!model_.CanDo(step)) return std::nullopt;
  try {
    const auto complaint = model_.Take(step, Do(step));
    if (complaint) return Text(step) + ": " + *complaint;
    return std::nullopt;
  } catch (const std::system_error& error) {
    return Text(step) + ": the process is gone: " + error.what();
  }
}

std::optional<std::string> PlayAll(OffsetSource& source, int mapped_alone, const History& history) {
  HistoryPlayer player(source, mapped_alone);
  for (const Step& step : history) {
    if (auto complaint = player.Play(step)) return complaint;
  }
  return std::nullopt;
}

History Shrink(History history, const std::function<bool(const History&)>& fails, int most) {
  for (std::size_t part = std::max<std::size_t>(history.size() / 2, 1); most > 0;) {
    bool smaller = false;
    for (std::size_t begin = 0; begin < history.size() && most > 0;) {
      History shorter = history;
      const auto first = shorter.begin() + static_cast<std::ptrdiff_t>(begin);
      shorter.erase(first,
                    first + static_cast<std::ptrdiff_t>(std::min(part, history.size() - begin)));
      --most;
      if (fails(shorter)) {
        history = std::move(shorter);
        smaller = true;
      } else {
        begin += part;
      }
    }
    if (part == 1 && !smaller) break;
    part = std::max<std::size_t>(part / 2, 1);
  }
  return history;
}

}  // namespace kfdcts::suites
