#pragma once

#include <sys/types.h>

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "suites/fake_offset/history_worker.h"

namespace kfdcts::suites {

/// Processes that do the steps of a history on the real device, each compared with the model.
/// Itself for a process of its own: it becomes the one to which orphans fall.
class HistoryPlayer {
 public:
  /// Starts process 0. Throws std::system_error.
  HistoryPlayer(OffsetSource& source, int mapped_alone);
  /// Kills all processes and waits until they have let go of everything.
  ~HistoryPlayer();
  HistoryPlayer(const HistoryPlayer&) = delete;
  HistoryPlayer& operator=(const HistoryPlayer&) = delete;

  const OffsetModel& model() const { return model_; }

  /// Does the step, if all that it is about is there. What differs from the model, with the step.
  std::optional<std::string> Play(const Step& step);

 private:
  struct Process {
    UniqueFd connection;
    UniqueFd pidfd;
  };

  Answer Do(const Step& step);
  Answer Pass(Request request);
  Answer Fork(Request request);
  Response Tell(int process, const Request& request, int fd = -1, UniqueFd* back = nullptr);
  void Add(int process, UniqueFd connection, pid_t pid);
  void Kill(int process);

  OffsetModel model_;
  std::map<int, Process> processes_;
};

/// Plays a history from its beginning.
std::optional<std::string> PlayAll(OffsetSource& source, int mapped_alone, const History& history);

/// A history with as few of the steps as can be found by leaving out ever smaller parts of it, such
/// that `fails` still says so. Asks at most `most` times.
History Shrink(History history, const std::function<bool(const History&)>& fails, int most);

}  // namespace kfdcts::suites
