// Steps in which the CPU reads and writes: by itself, by a system call, by another reader.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <vector>

#include "harness/gpu/unique_fd.h"
#include "suites/scenarios/player.h"
#include "suites/support/memory.h"

namespace kfdcts::suites {

namespace scenario = harness::scenario;

namespace {

[[noreturn]] void Fail(const char* call) {
  throw std::system_error(errno, std::generic_category(), call);
}

/// A call that transfers `bytes` and may do so in parts.
template <typename Transfer>
void TransferAll(const char* call, std::size_t bytes, const Transfer& transfer) {
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t count = transfer(done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) Fail(call);
    if (count == 0)
      throw std::runtime_error(std::string(call) + ": no more than " + std::to_string(done) +
                               " bytes");
    done += static_cast<std::size_t>(count);
  }
}

gpu::UniqueFd MemoryFile() {
  gpu::UniqueFd file(memfd_create("scenario", MFD_CLOEXEC));
  if (!file.valid()) Fail("memfd_create");
  return file;
}

void WriteFile(int file, std::span<const std::byte> bytes) {
  TransferAll("pwrite", bytes.size(), [&](std::size_t done) {
    return pwrite(file, bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
  });
}

std::vector<std::byte> ReadByProcMem(std::span<const std::byte> pages) {
  const gpu::UniqueFd file(open("/proc/self/mem", O_RDONLY | O_CLOEXEC));
  if (!file.valid()) Fail("/proc/self/mem");
  std::vector<std::byte> copy(pages.size());
  TransferAll("pread of /proc/self/mem", copy.size(), [&](std::size_t done) {
    return pread(file.get(), copy.data() + done, copy.size() - done,
                 reinterpret_cast<off_t>(pages.data() + done));
  });
  return copy;
}

std::vector<std::byte> ReadByProcessVm(std::span<std::byte> pages) {
  std::vector<std::byte> copy(pages.size());
  TransferAll("process_vm_readv", copy.size(), [&](std::size_t done) {
    const iovec local{copy.data() + done, copy.size() - done};
    const iovec remote{pages.data() + done, pages.size() - done};
    return process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
  });
  return copy;
}

/// The first and the last 64 bits of each page; of kWord the first alone.
Complaint PeekByPtrace(PtraceReader& reader, std::span<std::byte> pages, std::size_t first,
                       const scenario::Contents& contents) {
  const std::size_t page = PageSize();
  for (std::size_t at = 0; at < pages.size(); at += page) {
    for (const std::size_t offset : {at, at + page - sizeof(std::uint64_t)}) {
      if (offset != at && contents.kind == scenario::Contents::Kind::kWord) continue;
      const auto word = static_cast<std::uint32_t>(reader.Peek(pages.data() + offset));
      const std::uint32_t expected = WordAt(contents, first * page + offset);
      if (word == expected) continue;
      return "a debugger at byte " + std::to_string(offset - at) + " of page " +
             std::to_string(first + at / page) + ": expected " + std::to_string(expected) +
             ", sees " + std::to_string(word);
    }
  }
  return std::nullopt;
}

}  // namespace

Complaint Player::Run(const scenario::CpuWrite& step, Engines&) {
  WriteContents(Bytes(step.at), step.at.first, step.contents);
  return std::nullopt;
}

Complaint Player::Run(const scenario::CpuRead& step, Engines&) {
  return CompareContents(Bytes(step.at), step.at.first, step.contents);
}

Complaint Player::Run(const scenario::Peek& step, Engines&) {
  const auto pages = Bytes(step.at);
  if (step.by == scenario::Peek::By::kPtrace) {
    return PeekByPtrace(*ptrace_, pages, step.at.first, step.contents);
  }
  const auto copy =
      step.by == scenario::Peek::By::kProcMem ? ReadByProcMem(pages) : ReadByProcessVm(pages);
  return CompareContents(copy, step.at.first, step.contents);
}

Complaint Player::Run(const scenario::SyscallRead& step, Engines&) {
  const auto pages = Bytes(step.at);
  std::vector<std::byte> source(pages.size());
  WriteContents(source, step.at.first, step.contents);
  const gpu::UniqueFd file = MemoryFile();
  WriteFile(file.get(), source);
  TransferAll("pread", pages.size(), [&](std::size_t done) {
    return pread(file.get(), pages.data() + done, pages.size() - done, static_cast<off_t>(done));
  });
  return std::nullopt;
}

Complaint Player::Run(const scenario::SyscallWrite& step, Engines&) {
  const auto pages = Bytes(step.at);
  const gpu::UniqueFd file = MemoryFile();
  WriteFile(file.get(), pages);
  std::vector<std::byte> copy(pages.size());
  TransferAll("pread", copy.size(), [&](std::size_t done) {
    return pread(file.get(), copy.data() + done, copy.size() - done, static_cast<off_t>(done));
  });
  return CompareContents(copy, step.at.first, step.contents);
}

}  // namespace kfdcts::suites
