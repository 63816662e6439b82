#include "harness/vgpu/core/findings.h"

#include <algorithm>
#include <utility>

namespace kfdcts::vgpu {
namespace {

/// Counts `finding` with what `list` has of its kind, process and queue. False where it has none.
bool Merge(std::vector<Finding>& list, const Finding& finding) {
  const auto same = std::find_if(list.begin(), list.end(), [&](const Finding& other) {
    return other.kind == finding.kind && other.pasid == finding.pasid &&
           other.vmid == finding.vmid && other.engine == finding.engine;
  });
  if (same == list.end()) return false;
  same->count += finding.count;
  return true;
}

}  // namespace

std::string_view NameOf(FindingKind kind) {
  switch (kind) {
    case FindingKind::kStaleTranslation:
      return "stale-translation";
    case FindingKind::kClearedTranslation:
      return "cleared-translation";
    case FindingKind::kReadOnlyWrite:
      return "read-only-write";
    case FindingKind::kFenceTwice:
      return "fence-twice";
    case FindingKind::kInterruptTwice:
      return "interrupt-twice";
    case FindingKind::kDeadDoorbell:
      return "dead-doorbell";
  }
  return "?";
}

void Findings::Put(std::vector<Finding>& list, Finding finding) {
  if (Merge(list, finding)) return;
  if (list.size() < kMax) {
    list.push_back(std::move(finding));
  } else {
    beyond_ += finding.count;
  }
}

void Findings::Add(Finding finding) { Put(fresh_, std::move(finding)); }

void Findings::Attribute(const std::string& engine) {
  for (Finding& finding : std::exchange(fresh_, {})) {
    finding.engine = engine;
    Put(all_, std::move(finding));
  }
}

const std::vector<Finding>& Findings::All() {
  Attribute({});
  return all_;
}

void Findings::Clear() {
  all_.clear();
  fresh_.clear();
  beyond_ = 0;
}

}  // namespace kfdcts::vgpu
