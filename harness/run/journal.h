#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "harness/report/record.h"
#include "harness/vm/base/unique_fd.h"

namespace kfdcts::harness {

/// A journal that cannot be gone on with: missing, damaged or another program's. what() is one
/// line.
class JournalError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What a run plans and what it has done, an object of JSON a line, written before a test begins
/// and when it has ended: so that a run goes on after it was killed, or its machine with it.
class Journal {
 public:
  /// What the run was started with.
  struct Head {
    std::vector<std::string> arguments;  ///< Without program, --results and --resume.
    std::string working_directory;
    std::map<std::string, std::string> environment;  ///< GTEST_*: sharding and flags.
    std::uint32_t seed = 0;
    std::string tests;   ///< TestListId() of the program.
    bool synced = true;  ///< Each line is on the disk before the run goes on.

    bool operator==(const Head&) const = default;
  };

  /// Begins one in a results folder, in place of an older. `boot_id` is the machine's. Throws
  /// std::system_error.
  Journal(const std::filesystem::path& folder, Head head, std::string boot_id);

  /// Goes on with that of a results folder. What it was writing when it was cut off is dropped.
  /// Throws JournalError, std::system_error.
  Journal(const std::filesystem::path& folder, std::string boot_id);

  /// Of the journal in a results folder. Throws JournalError.
  static Head ReadHead(const std::filesystem::path& folder);

  const Head& head() const { return head_; }

  /// An iteration of gtest's with the tests that it has chosen. Throws JournalError where the run
  /// that is gone on with had chosen others.
  void Plan(int iteration, const std::vector<std::string>& tests);

  void Begin(const std::string& test, int iteration);
  /// Once more for the same test: this record is valid.
  void End(const TestRecord& record);
  /// The test that began has no verdict and is to run when the run is gone on with.
  void Forget(const std::string& test, int iteration);

  /// From before the run was gone on with; nothing where the test has not ended then.
  std::optional<TestRecord> Finished(const std::string& test, int iteration) const;

  /// Of the test in which the run ended then: the failure that it is, of which only that is filled
  /// in; nothing for any other.
  std::optional<TestRecord> TookDown(const std::string& test, int iteration) const;
  /// Whether that was it, in any iteration.
  bool TookDown(const std::string& test) const { return running_ && running_->first == test; }

 private:
  using Key = std::pair<std::string, int>;

  Journal() = default;
  void Read(const std::string& text);
  void Take(const std::string& line);
  void Write(const std::string& line);

  std::filesystem::path file_;
  vm::UniqueFd fd_;
  Head head_;
  std::string boot_id_;
  std::string earlier_boot_id_;
  std::map<int, std::vector<std::string>> plans_;
  std::map<Key, TestRecord> finished_;
  std::optional<Key> running_;
};

inline constexpr const char* kJournalFile = "journal.jsonl";

/// Changes with every name in a list of tests.
std::string TestListId(const std::vector<std::string>& tests);

/// Of the running kernel, or what the environment variable KFDCTS_BOOT_ID holds, for tests.
std::string BootId();

}  // namespace kfdcts::harness
