#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/report/record.h"
#include "harness/run/kernel_log_filter.h"
#include "harness/target/target.h"

namespace kfdcts::harness {

/// Cuts the kernel's log of a target into those of its tests, and judges each. Where the place of
/// the tests writes marks into the log they decide, else the time does.
class TestKernelLog {
 public:
  /// `filter` may be null: every line is attached and means nothing.
  TestKernelLog(Target& target, std::shared_ptr<const KernelLogFilter> filter, std::string machine)
      : target_(target), filter_(std::move(filter)), machine_(std::move(machine)) {}

  /// A boot began. What the log holds until the first test's mark is the boot's own.
  void StartBoot();

  /// A test is about to run.
  void Begin();

  /// A line that the filter made much of.
  struct Complaint {
    std::string kind;
    std::string line;
  };

  /// Gives `record` the log of `test`, whose verdict is there; `ended`: its place goes on, and its
  /// mark will come. `kernel` is the release. Returns what the kernel complained about.
  std::vector<Complaint> Attach(const std::string& test, bool ended, const std::string& kernel,
                                TestRecord& record);

 private:
  using Lines = std::vector<vm::KernelLine>;

  struct Window {
    Lines before;  ///< Since the end of the test before.
    Lines own;
  };

  Window Cut(const std::string& test, bool ended);
  void Judge(const std::string& line, bool own, const KernelLogFilter::Place& place,
             TestRecord& record, std::vector<Complaint>& complaints) const;

  Target& target_;
  std::shared_ptr<const KernelLogFilter> filter_;
  std::string machine_;
  Lines carried_;  ///< After the last mark.
  bool first_ = true;
  int missed_marks_ = 0;  ///< In a row.
};

/// Of more lines than this a record keeps the first and the last.
inline constexpr std::size_t kKernelLogLines = 200;

/// The property by which a worker tells of new taint flags.
inline constexpr const char* kTaintProperty = "kernel_taint";

}  // namespace kfdcts::harness
