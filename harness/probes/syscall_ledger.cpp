#include "harness/probes/syscall_ledger.h"

#include <sys/syscall.h>

#include <algorithm>
#include <array>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace kfdcts::harness {
namespace {

constexpr std::array<std::pair<int, const char*>, 9> kNames = {{{SYS_ioctl, "ioctl"},
                                                                {SYS_mmap, "mmap"},
                                                                {SYS_munmap, "munmap"},
                                                                {SYS_mremap, "mremap"},
                                                                {SYS_mprotect, "mprotect"},
                                                                {SYS_madvise, "madvise"},
                                                                {SYS_open, "open"},
                                                                {SYS_openat, "openat"},
                                                                {SYS_close, "close"}}};

std::string NameOf(const SyscallLedger::Call& call) {
  std::ostringstream text;
  const auto* found = std::find_if(kNames.begin(), kNames.end(),
                                   [&](const auto& entry) { return entry.first == call.number; });
  if (found == kNames.end()) {
    text << "call " << call.number;
  } else {
    text << found->second;
  }
  if (call.number == SYS_ioctl) text << ' ' << std::hex << call.IoctlCode();
  return text.str();
}

bool SameKind(const SyscallLedger::Call& a, const SyscallLedger::Call& b) {
  return a.number == b.number && (a.number != SYS_ioctl || a.IoctlCode() == b.IoctlCode());
}

}  // namespace

void SyscallLedger::Record(const Call& call) {
  if (logged_ < log_.size()) log_[logged_++] = call;
  auto* const end = tallies_.data() + kinds_;
  auto* tally = std::find_if(tallies_.data(), end,
                             [&](const Tally& entry) { return SameKind(entry.call, call); });
  if (tally == end) {
    if (kinds_ == tallies_.size()) return;
    *tally = {call, 0};
    ++kinds_;
  }
  ++tally->count;
}

SyscallLedger::Verdict SyscallLedger::Take(const Call& call) {
  const std::lock_guard lock(mutex_);
  Record(call);
  for (std::size_t i = 0; i < armed_; ++i) {
    Intervention& one = interventions_[i];
    if (one.number != call.number) continue;
    if (!one.any_ioctl && one.ioctl_code != call.IoctlCode()) continue;
    if (++one.seen != one.nth && one.nth != 0) continue;
    ++struck_;
    return one.verdict;
  }
  return {};
}

std::uint64_t SyscallLedger::Count(const SyscallMatch& match) const {
  const std::lock_guard lock(mutex_);
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < kinds_; ++i) {
    const Tally& tally = tallies_[i];
    const bool matches = tally.call.number == match.number &&
                         (!match.ioctl_code || *match.ioctl_code == tally.call.IoctlCode());
    if (matches) count += tally.count;
  }
  return count;
}

std::string SyscallLedger::Describe() const {
  // Copied first: text takes heap memory, and that may be a call that waits for this lock.
  const auto copy = std::make_unique<std::array<Call, kLog>>();
  std::size_t count = 0;
  {
    const std::lock_guard lock(mutex_);
    *copy = log_;
    count = logged_;
  }
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += (i == 0 ? "" : ", ") + NameOf((*copy)[i]);
  return text;
}

std::uint64_t SyscallLedger::Interventions() const {
  const std::lock_guard lock(mutex_);
  return struck_;
}

void SyscallLedger::Reset() {
  const std::lock_guard lock(mutex_);
  kinds_ = 0;
  logged_ = 0;
  armed_ = 0;
  struck_ = 0;
}

void SyscallLedger::Add(const SyscallMatch& match, std::uint64_t nth, int error,
                        const Patch* patch) {
  Intervention one{match.number, !match.ioctl_code, match.ioctl_code.value_or(0), nth, 0, {}};
  one.verdict.error = error;
  if (patch != nullptr) {
    if (patch->bytes.size() > one.verdict.bytes.size()) throw std::length_error("patch too long");
    one.verdict.falsify = true;
    one.verdict.offset = patch->offset;
    one.verdict.size = patch->bytes.size();
    std::copy(patch->bytes.begin(), patch->bytes.end(), one.verdict.bytes.begin());
    one.verdict.indirect = patch->pointer_offset.has_value();
    one.verdict.pointer_offset = patch->pointer_offset.value_or(0);
  }
  std::unique_lock lock(mutex_);
  if (armed_ == interventions_.size()) {
    lock.unlock();
    throw std::length_error("too many interventions");
  }
  interventions_[armed_++] = one;
}

}  // namespace kfdcts::harness
