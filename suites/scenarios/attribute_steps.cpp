// Steps about what the kernel says of an interval.
#include <span>
#include <string>
#include <vector>

#include "suites/scenarios/attributes.h"
#include "suites/scenarios/player.h"

namespace kfdcts::suites {

namespace scenario = harness::scenario;

namespace {

Complaint StatusComplaint(const char* call, HSAKMT_STATUS expected, HSAKMT_STATUS actual) {
  if (expected == actual) return std::nullopt;
  return std::string(call) + ": expected " + NameOf(expected) + ", is " + NameOf(actual);
}

Complaint CompareState(const ScenarioBase& test, std::span<std::byte> pages,
                       const SvmState& expected, const std::string& where) {
  std::vector<HSAuint32> nodes;
  for (const auto& node : test.system_gpus()) nodes.push_back(node.node_id);
  SvmState actual;
  const HSAKMT_STATUS status = test.Ask(pages, nodes, actual);
  if (status != HSAKMT_STATUS_SUCCESS) {
    return StatusComplaint("hsaKmtSVMGetAttr", HSAKMT_STATUS_SUCCESS, status);
  }
  if (actual == expected) return std::nullopt;
  return where + "\n  expected " + Text(expected) + "\n  is       " + Text(actual);
}

}  // namespace

Complaint Player::Run(const scenario::SetAttributes& step, Engines&) {
  // Not the fixture's Set(), which looks at all memory behind it: threads must not be held up.
  const auto bytes = Bytes(step.at);
  auto attributes = ToThunk(test_, step.attributes);
  const HSAKMT_STATUS status = test_.thunk().hsaKmtSVMSetAttr(
      bytes.data(), bytes.size(), static_cast<unsigned>(attributes.size()), attributes.data());
  return StatusComplaint("hsaKmtSVMSetAttr", ToThunk(step.status), status);
}

Complaint Player::Run(const scenario::GetAttributes& step, Engines&) {
  auto answers = ToThunk(test_, step.attributes);
  const HSAKMT_STATUS status = test_.Get(Bytes(step.at), answers);
  if (auto complaint = StatusComplaint("hsaKmtSVMGetAttr", ToThunk(step.status), status)) {
    return complaint;
  }
  if (!step.answers) return std::nullopt;
  const std::string expected = Text(ToThunk(test_, *step.answers));
  const std::string actual = Text(answers);
  if (actual == expected) return std::nullopt;
  return "hsaKmtSVMGetAttr\n  expected " + expected + "\n  is       " + actual;
}

Complaint Player::Run(const scenario::Expect& step, Engines&) {
  const SvmState expected = ExpectedState(test_, step);
  if (!step.each_page) return CompareState(test_, Bytes(step.at), expected, "asked for all pages");
  for (std::size_t page = step.at.first; page < step.at.first + step.at.count; ++page) {
    const auto one = Memory(step.at.mapping).Pages(page);
    if (auto complaint =
            CompareState(test_, one, expected, "asked for page " + std::to_string(page))) {
      return complaint;
    }
  }
  return std::nullopt;
}

Complaint Player::Run(const scenario::ExpectResidency& step, Engines&) {
  const std::string actual = Residency(Bytes(step.at));
  if (actual == step.pages) return std::nullopt;
  return "residency\n  expected " + step.pages + "\n  is       " + actual;
}

Complaint Player::Run(const scenario::ExpectRanges& step, Engines&) {
  const std::size_t actual = test_.RangeCount() - ranges_before_;
  if (actual == step.count) return std::nullopt;
  return "ranges: expected " + std::to_string(step.count) + ", are " + std::to_string(actual);
}

}  // namespace kfdcts::suites
