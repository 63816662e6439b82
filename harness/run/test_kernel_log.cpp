#include "harness/run/test_kernel_log.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "harness/probes/kernel_log_device.h"

namespace kfdcts::harness {
namespace {

/// The log's way out of a busy guest is another one than that of the events.
constexpr std::chrono::seconds kMarkPatience{3};
/// So often in a row in vain, and no mark is waited for in this boot any more.
constexpr int kMostMisses = 3;

void Shorten(std::vector<std::string>& lines) {
  if (lines.size() <= kKernelLogLines) return;
  const std::size_t left_out = lines.size() - kKernelLogLines;
  const auto begin = lines.begin() + kKernelLogLines / 2;
  lines.erase(begin, begin + static_cast<std::ptrdiff_t>(left_out));
  lines.insert(lines.begin() + kKernelLogLines / 2,
               "(" + std::to_string(left_out) + " lines left out)");
}

}  // namespace

void TestKernelLog::StartBoot() {
  target_.TakeKernelLog("", std::chrono::milliseconds(0));
  carried_.clear();
  first_ = true;
  missed_marks_ = 0;
}

void TestKernelLog::Begin() {
  if (target_.marked_log().empty()) target_.TakeKernelLog("", std::chrono::milliseconds(0));
}

TestKernelLog::Window TestKernelLog::Cut(const std::string& test, bool ended) {
  const bool marked = !target_.marked_log().empty();
  const bool waits = ended && missed_marks_ < kMostMisses && marked;
  Lines lines = std::exchange(carried_, {});
  const auto taken = target_.TakeKernelLog(waits ? EndMark(test) : "", kMarkPatience);
  lines.insert(lines.end(), taken.begin(), taken.end());
  const auto find = [&](auto from, const std::string& mark) {
    return std::find_if(from, lines.end(), [&](const auto& line) { return line.text == mark; });
  };
  Window window;
  auto begin = find(lines.begin(), BeginMark(test));
  if (begin == lines.end() && ended && marked) {  // it is late
    ++missed_marks_;
    carried_ = std::move(lines);
    return window;
  }
  if (begin == lines.end()) {
    begin = lines.begin();
  } else if (!std::exchange(first_, false)) {
    window.before.assign(lines.begin(), begin);
  }
  const auto end = find(begin, EndMark(test));
  missed_marks_ = end == lines.end() ? missed_marks_ + 1 : 0;
  window.own.assign(begin, end);
  if (end != lines.end()) carried_.assign(std::next(end), lines.end());
  for (Lines* part : {&window.before, &window.own}) {
    std::erase_if(*part, [](const auto& line) { return IsMark(line.text); });
  }
  return window;
}

void TestKernelLog::Judge(const std::string& line, bool own, const KernelLogFilter::Place& place,
                          TestRecord& record, std::vector<Complaint>& complaints) const {
  using Verdict = KernelLogRule::Verdict;
  const auto* rule = filter_ ? filter_->Find(line, place) : nullptr;
  if (rule == nullptr || rule->verdict == Verdict::kIgnore) return;
  complaints.push_back({rule->kind, line});
  if (record.warning.empty()) record.warning = (own ? "" : "before this test: ") + line;
  if (rule->verdict == Verdict::kFail && own && record.Passed()) {
    record.failures.push_back(
        {"", 0, "the kernel complained: " + line + "\n(" + rule->kind + ": " + rule->cause + ")",
         false});
  }
}

std::vector<TestKernelLog::Complaint> TestKernelLog::Attach(const std::string& test, bool ended,
                                                            const std::string& kernel,
                                                            TestRecord& record) {
  Window window = Cut(test, ended);
  for (const auto& [name, value] : record.properties) {
    if (name != kTaintProperty) continue;
    window.own.push_back({.level = 4, .text = "kfdcts: new kernel taint: " + value});
    if (!filter_) record.failures.push_back({"", 0, window.own.back().text, false});
  }
  std::erase_if(record.properties, [](const auto& one) { return one.first == kTaintProperty; });
  std::vector<Complaint> complaints;
  const KernelLogFilter::Place place{test, machine_, kernel};
  if (!window.before.empty()) record.kernel_log.push_back("(before this test began)");
  for (const auto& line : window.before) {
    record.kernel_log.push_back(line.Raw());
    Judge(line.text, false, place, record, complaints);
  }
  if (!window.before.empty()) record.kernel_log.push_back("(in this test)");
  for (const auto& line : window.own) {
    record.kernel_log.push_back(line.Raw());
    Judge(line.text, true, place, record, complaints);
  }
  Shorten(record.kernel_log);
  return complaints;
}

}  // namespace kfdcts::harness
