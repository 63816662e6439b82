#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "harness/report/record.h"
#include "harness/svm_vectors/sequence.h"

namespace kfdcts::harness {

/// What became of a vector file.
class VectorTally {
 public:
  /// The verdict of a sequence that was tried. `record.expected_cause` is set where a list of
  /// expectations names it.
  void Add(const VectorSequence& sequence, const TestRecord& record);

  /// A sequence that was not tried, and why.
  void LeaveOut(const VectorSequence& sequence, const std::string& reason);

  /// No difference, hang or crash that no expectation names.
  bool Clean() const;

  /// The closing report: counts, the first ten differences in full, hangs and crashes by name.
  std::string Text() const;

 private:
  struct Event {
    std::string id;
    std::string text;
    std::string expected_cause;
  };
  enum class Outcome { kDifference, kHang, kCrash, kNotRun };

  static Outcome OutcomeOf(const TestRecord& record);
  static std::string List(const std::string& title, const std::vector<Event>& events,
                          std::size_t limit);

  std::size_t sequences_ = 0;
  std::size_t ran_ = 0;
  std::size_t operations_ = 0;
  std::vector<Event> differences_;  ///< One each.
  std::vector<Event> hangs_;
  std::vector<Event> crashes_;
  std::vector<Event> failures_;  ///< Could not be started and nobody meant it so.
  std::map<std::string, std::size_t> left_out_;
};

}  // namespace kfdcts::harness
