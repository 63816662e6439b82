#include "harness/vgpu/core/diagnostics.h"

namespace kfdcts::vgpu {

void Diagnostics::Count(Kind kind, std::string_view subject) {
  ++totals_[static_cast<std::size_t>(kind)];
  auto& subjects = counts_[static_cast<std::size_t>(kind)];
  auto found = subjects.find(subject);
  if (found == subjects.end()) {
    if (subjects.size() >= kMaxSubjects) subject = kOthers;
    found = subjects.try_emplace(std::string(subject)).first;
  }
  ++found->second;
}

std::uint64_t Diagnostics::Total(Kind kind) const {
  return totals_[static_cast<std::size_t>(kind)];
}

std::uint64_t Diagnostics::Of(Kind kind, std::string_view subject) const {
  const auto& subjects = counts_[static_cast<std::size_t>(kind)];
  const auto found = subjects.find(subject);
  return found == subjects.end() ? 0 : found->second;
}

void Diagnostics::Report(std::ostream& out) const {
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    for (const auto& [subject, count] : counts_[kind]) {
      out << Name(static_cast<Kind>(kind)) << ": " << subject << " x" << count << '\n';
    }
  }
}

std::string_view Diagnostics::Name(Kind kind) {
  switch (kind) {
    case Kind::kUnknownRegister:
      return "unknown register";
    case Kind::kUnknownPacket:
      return "unknown packet";
    case Kind::kMalformedPacket:
      return "malformed packet";
    case Kind::kMalformedRing:
      return "malformed ring";
    case Kind::kUnclaimedDoorbell:
      return "unclaimed doorbell";
    case Kind::kOutOfRange:
      return "out of range";
    case Kind::kStaleTranslation:
      return "stale translation";
    case Kind::kReadOnlyWrite:
      return "read-only write";
    case Kind::kUnsupportedDispatch:
      return "unsupported dispatch";
    case Kind::kVmFault:
      return "VM fault";
  }
  return "?";
}

}  // namespace kfdcts::vgpu
