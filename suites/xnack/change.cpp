#include "suites/xnack/change.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace kfdcts::suites {
namespace {

void Must(int result, const char* call) {
  if (result != 0) throw std::system_error(errno, std::generic_category(), call);
}

std::shared_ptr<void> Discard(std::span<std::byte> pages) {
  Must(madvise(pages.data(), pages.size(), MADV_DONTNEED), "madvise");
  return nullptr;
}

std::shared_ptr<void> Protect(std::span<std::byte> pages) {
  Must(mprotect(pages.data(), pages.size(), PROT_READ), "mprotect");
  Must(mprotect(pages.data(), pages.size(), PROT_READ | PROT_WRITE), "mprotect");
  return nullptr;
}

/// The pages stay and may not be written in place: the next write copies them.
std::shared_ptr<void> Share(std::span<std::byte>) { return std::make_shared<ForkedHolder>(); }

/// The CPU's write replaces each page, behind the GPU's back.
std::shared_ptr<void> CopyOnWrite(std::span<std::byte> pages) {
  auto holder = std::make_shared<ForkedHolder>();
  const auto step = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  for (std::size_t at = 0; at < pages.size(); at += step) {
    auto* const byte = reinterpret_cast<volatile unsigned char*>(&pages[at]);
    *byte = *byte;
  }
  return holder;
}

}  // namespace

ForkedHolder::ForkedHolder() {
  int ends[2];
  Must(pipe2(ends, O_CLOEXEC), "pipe");
  gpu::UniqueFd read_end(ends[0]);
  line_ = gpu::UniqueFd(ends[1]);
  pid_ = fork();
  if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (pid_ == 0) {
    close(ends[1]);
    char nothing = 0;
    while (read(ends[0], &nothing, 1) < 0 && errno == EINTR) {
    }
    _exit(0);
  }
}

ForkedHolder::~ForkedHolder() {
  line_ = gpu::UniqueFd();
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

constinit const Change kChanges[4] = {
    {"discard", Discard, false},
    {"protect_and_back", Protect, true},
    {"shared_by_fork", Share, true},
    {"copied_on_write", CopyOnWrite, true},
};

}  // namespace kfdcts::suites
