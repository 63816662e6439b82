#include "thunk/src/kernel/drm_svm.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "thunk/src/kernel/page.h"

namespace kfdcts::thunk {
namespace {

using uapi::DrmGemSvm;
using uapi::DrmSvmAttribute;
using uapi::SvmAccess;
using uapi::SvmAttribute;
using uapi::SvmOperation;

DrmGemSvm Arguments(SvmOperation operation, std::uint64_t start, std::uint64_t size,
                    std::span<DrmSvmAttribute> attributes) {
  return {.start_addr = start,
          .size = size,
          .operation = static_cast<std::uint32_t>(operation),
          .nattr = static_cast<std::uint32_t>(attributes.size()),
          .attrs_ptr = reinterpret_cast<std::uintptr_t>(attributes.data())};
}

DrmSvmAttribute Asked(SvmAttribute type) {
  constexpr std::uint32_t kNoAnswer = 0xdeadbeef;
  return {static_cast<std::uint32_t>(type), kNoAnswer};
}

/// The answer of a kernel that knows these numbers; older drafts have others for them.
bool AnswersAsExpected(const DrmSvmCalls& calls, int render_fd, std::uint64_t page) {
  std::array attributes = {Asked(SvmAttribute::kAccess), Asked(SvmAttribute::kGranularity),
                           Asked(SvmAttribute::kGpuReadMostly)};
  constexpr std::uint32_t kGreatestGranularity = 0x3f;
  std::uint64_t size = PageSize();
  return calls.Get(render_fd, page, size, attributes) == 0 &&
         attributes[0].value <= static_cast<std::uint32_t>(SvmAccess::kAllowMigrate) &&
         attributes[1].value <= kGreatestGranularity && attributes[2].value <= 1;
}

}  // namespace

DrmSvmCalls DrmSvmCalls::Probe(SystemCalls& calls, int render_fd) {
  DrmSvmCalls found(calls, 0);
  void* pages = nullptr;
  if (calls.Mmap(nullptr, 2 * PageSize(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                 0, &pages) < 0) {
    return found;
  }
  const std::uint64_t page = uapi::ProbePage(reinterpret_cast<std::uintptr_t>(pages), PageSize());
  for (const unsigned number : uapi::kGemSvmNumbers) {
    const DrmSvmCalls candidate(calls, number);
    if (AnswersAsExpected(candidate, render_fd, page)) {
      found = candidate;
      break;
    }
  }
  calls.Munmap(pages, 2 * PageSize());
  return found;
}

int DrmSvmCalls::Call(int render_fd, DrmGemSvm& arguments) const {
  int result;
  do {
    result = calls_->Ioctl(render_fd, uapi::GemSvmRequest(number_), &arguments);
  } while (result == -EINTR || result == -EAGAIN);
  return std::min(result, 0);
}

int DrmSvmCalls::Set(int render_fd, std::uint64_t start, std::uint64_t size,
                     std::span<DrmSvmAttribute> attributes) const {
  DrmGemSvm arguments = Arguments(SvmOperation::kSetAttributes, start, size, attributes);
  return Call(render_fd, arguments);
}

int DrmSvmCalls::Get(int render_fd, std::uint64_t start, std::uint64_t& size,
                     std::span<DrmSvmAttribute> attributes) const {
  DrmGemSvm arguments = Arguments(SvmOperation::kGetAttributes, start, size, attributes);
  const int error = Call(render_fd, arguments);
  if (error == 0) size = arguments.size;
  return error;
}

int DrmSvmCalls::Reset(int render_fd, std::uint64_t start, std::uint64_t size) const {
  DrmGemSvm arguments = Arguments(SvmOperation::kReset, start, size, {});
  return Call(render_fd, arguments);
}

}  // namespace kfdcts::thunk
