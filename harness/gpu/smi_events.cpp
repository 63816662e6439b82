#include "harness/gpu/smi_events.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <stdexcept>
#include <utility>

#include "harness/gpu/memory.h"

namespace kfdcts::gpu {
namespace {

// The kernel's formats print pages, and the process id behind a minus sign.
bool ParseMigration(const char* text, SmiEvent& event) {
  std::uint64_t page = 0, pages = 0;
  if (std::sscanf(text,
                  "%*d -%" SCNu32 " @%" SCNx64 "(%" SCNx64 ") %" SCNx32 "->%" SCNx32
                  " %*x:%*x %" SCNu32,
                  &event.process, &page, &pages, &event.from, &event.to, &event.trigger) != 6 &&
      std::sscanf(text,
                  "%*d -%" SCNu32 " @%" SCNx64 "(%" SCNx64 ") %" SCNx32 "->%" SCNx32 " %" SCNu32,
                  &event.process, &page, &pages, &event.from, &event.to, &event.trigger) != 6) {
    return false;
  }
  event.address = page * kPageBytes;
  event.bytes = pages * kPageBytes;
  return true;
}

bool ParsePageFault(const char* text, SmiEvent& event) {
  std::uint64_t page = 0;
  const int fields = std::sscanf(text, "%*d -%" SCNu32 " @%" SCNx64 "(%" SCNx32 ") %c",
                                 &event.process, &page, &event.node, &event.access);
  event.address = page * kPageBytes;
  return fields == 4;
}

bool ParseUnmap(const char* text, SmiEvent& event) {
  std::uint64_t page = 0, pages = 0;
  const int fields =
      std::sscanf(text, "%*d -%" SCNu32 " @%" SCNx64 "(%" SCNx64 ") %" SCNx32 " %" SCNu32,
                  &event.process, &page, &pages, &event.node, &event.trigger);
  event.address = page * kPageBytes;
  event.bytes = pages * kPageBytes;
  return fields == 5;
}

bool ParseBody(const char* text, SmiEvent& event) {
  switch (event.type) {
    case KFD_SMI_EVENT_MIGRATE_START:
    case KFD_SMI_EVENT_MIGRATE_END:
      return ParseMigration(text, event);
    case KFD_SMI_EVENT_PAGE_FAULT_START:
    case KFD_SMI_EVENT_PAGE_FAULT_END:
      return ParsePageFault(text, event);
    case KFD_SMI_EVENT_UNMAP_FROM_GPU:
      return ParseUnmap(text, event);
    case KFD_SMI_EVENT_QUEUE_EVICTION:
      return std::sscanf(text, "%*d -%" SCNu32 " %" SCNx32 " %" SCNu32, &event.process, &event.node,
                         &event.trigger) == 3;
    case KFD_SMI_EVENT_QUEUE_RESTORE:
      return std::sscanf(text, "%*d -%" SCNu32 " %" SCNx32 " %c", &event.process, &event.node,
                         &event.access) >= 2;
    case KFD_SMI_EVENT_VMFAULT:
      return std::sscanf(text, "%" SCNx32 ":", &event.process) == 1;
    default:
      return true;  // resets and throttling: the text is all there is
  }
}

UniqueFd Open(Gpu& gpu) {
  kfd_ioctl_smi_events_args args{};
  args.gpuid = gpu.id();
  gpu.kfd().Do(AMDKFD_IOC_SMI_EVENTS, args, "SMI_EVENTS");
  return UniqueFd(static_cast<int>(args.anon_fd));
}

}  // namespace

std::optional<SmiEvent> ParseSmiEvent(std::string_view line) {
  SmiEvent event;
  event.text = line;
  int body = 0;
  if (std::sscanf(event.text.c_str(), "%" SCNx32 " %n", &event.type, &body) != 1 || body == 0)
    return std::nullopt;
  if (!ParseBody(event.text.c_str() + body, event)) return std::nullopt;
  return event;
}

SmiEvents::SmiEvents(Gpu& gpu, std::uint64_t types) : SmiEvents(Open(gpu), types) {}

SmiEvents::SmiEvents(UniqueFd stream, std::uint64_t types) : fd_(std::move(stream)) {
  fcntl(fd_.get(), F_SETFD, FD_CLOEXEC);
  if (write(fd_.get(), &types, sizeof types) != sizeof types)
    throw GpuError(errno, "write of the SMI event mask");
}

std::optional<SmiEvent> SmiEvents::Next(const Deadline& deadline) {
  for (;;) {
    if (const std::size_t end = pending_.find('\n'); end != std::string::npos) {
      const std::string line = pending_.substr(0, end);
      pending_.erase(0, end + 1);
      if (auto event = ParseSmiEvent(line)) return event;
      throw std::runtime_error("an SMI event that cannot be read: " + line);
    }
    pollfd poll_fd{fd_.get(), POLLIN, 0};
    const int ready = poll(&poll_fd, 1, static_cast<int>(deadline.RemainingMs()));
    if (ready < 0 && errno != EINTR) throw GpuError(errno, "poll of SMI events");
    if (ready == 0) return std::nullopt;
    char buffer[4096];
    const ssize_t got = read(fd_.get(), buffer, sizeof buffer);
    if (got > 0) pending_.append(buffer, static_cast<std::size_t>(got));
    if (got < 0 && errno != EAGAIN && errno != EINTR) throw GpuError(errno, "read of SMI events");
  }
}

std::optional<SmiEvent> SmiEvents::NextOf(std::uint32_t type, const Deadline& deadline) {
  for (;;) {
    auto event = Next(deadline);
    if (!event || event->type == type) return event;
  }
}

}  // namespace kfdcts::gpu
