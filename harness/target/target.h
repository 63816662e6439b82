#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "harness/vm/kernel_log.h"

namespace kfdcts::harness {

/// A place where an executor can run: this host, or a guest.
class Target {
 public:
  /// How an executor ended, and the place with it.
  struct End {
    bool regular = false;      ///< The executor exited with 0.
    std::string reason{};      ///< One line where it did not.
    std::string last_words{};  ///< The console's or the executor's last lines.
    bool cancelled = false;
    std::vector<std::string> device_complaints{};  ///< What a virtual GPU met and does not know.
  };

  struct Launch {
    std::filesystem::path folder;                       ///< For this launch alone; exists.
    int plans_fd = -1;                                  ///< The executor's standard input.
    int cancel_fd = -1;                                 ///< Readable: end at once.
    std::function<void(const std::string&)> on_notice;  ///< From another thread.
  };

  virtual ~Target() = default;

  /// What stands before kExecuteFlag in the executor's command line: a subcommand and its own.
  void SetArguments(std::vector<std::string> arguments) { arguments_ = std::move(arguments); }

  /// Starts an executor and returns when it and all that carries it are gone. Throws vm::RunError
  /// for bad input; nothing was started then. For a thread of its own.
  virtual End Run(const Launch& launch) = 0;

  /// Where the executor of a launch puts events and output, as this process sees it.
  virtual std::filesystem::path ExecutorFolder(const Launch& launch) const = 0;

  /// The kernel log of the place, as its tests can write marks into it; empty: they cannot.
  virtual std::string marked_log() const { return ""; }

  /// What the kernel's log has got since the last call, where the target can read it. Where `until`
  /// is not empty: with the line of that text, for which it waits as long as `patience`.
  virtual std::vector<vm::KernelLine> TakeKernelLog(const std::string& /*until*/,
                                                    std::chrono::milliseconds /*patience*/) {
    return {};
  }

 protected:
  /// The executor's command line; `folder` as the executor sees it.
  std::vector<std::string> Command(const std::filesystem::path& program,
                                   const std::string& folder) const;

 private:
  std::vector<std::string> arguments_;
};

inline constexpr const char* kEventsFile = "events.jsonl";
inline constexpr const char* kOutputFile = "output.log";

/// The hidden flag that makes kfdcts an executor: its value is the folder for events and output.
inline constexpr const char* kExecuteFlag = "--execute";

inline std::vector<std::string> Target::Command(const std::filesystem::path& program,
                                                const std::string& folder) const {
  std::vector<std::string> command = {program.string()};
  command.insert(command.end(), arguments_.begin(), arguments_.end());
  command.push_back(std::string(kExecuteFlag) + "=" + folder);
  return command;
}

}  // namespace kfdcts::harness
