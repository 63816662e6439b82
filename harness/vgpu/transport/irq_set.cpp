#include "harness/vgpu/transport/irq_set.h"

#include <fcntl.h>

#include <bit>
#include <cerrno>
#include <cstdio>
#include <string_view>
#include <utility>

namespace kfdcts::vgpu {
namespace {

constexpr std::uint32_t kActions =
    VFIO_IRQ_SET_ACTION_MASK | VFIO_IRQ_SET_ACTION_UNMASK | VFIO_IRQ_SET_ACTION_TRIGGER;
constexpr std::uint32_t kDataKinds =
    VFIO_IRQ_SET_DATA_NONE | VFIO_IRQ_SET_DATA_BOOL | VFIO_IRQ_SET_DATA_EVENTFD;

/// Only an event counter takes eight bytes at once and never blocks for long; a pipe or a file must
/// not get in here.
bool IsEventFd(int fd) {
  char link[32];
  char target[64];
  std::snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
  const ssize_t length = readlink(link, target, sizeof(target));
  return length > 0 &&
         std::string_view(target, static_cast<std::size_t>(length)) == "anon_inode:[eventfd]";
}

bool IsOneOf(std::uint32_t flags, std::uint32_t mask) { return std::popcount(flags & mask) == 1; }

}  // namespace

std::uint32_t IrqSet::Flags(std::uint32_t index) {
  return Vectors(index) == 0
             ? 0
             : VFIO_IRQ_INFO_EVENTFD | VFIO_IRQ_INFO_MASKABLE | VFIO_IRQ_INFO_NORESIZE;
}

int IrqSet::Set(const vfio_irq_set& request, std::span<const std::byte> data,
                std::vector<UniqueFd> fds) {
  if ((request.flags & ~(kActions | kDataKinds)) != 0 || !IsOneOf(request.flags, kActions) ||
      !IsOneOf(request.flags, kDataKinds) || request.index >= kIndexCount) {
    return EINVAL;
  }
  const std::uint32_t action = request.flags & kActions;
  const std::uint32_t kind = request.flags & kDataKinds;
  if (kind != VFIO_IRQ_SET_DATA_EVENTFD && !fds.empty()) {
    return EINVAL;
  }
  const std::scoped_lock lock(mutex_);
  if (request.start == 0 && request.count == 0 && kind == VFIO_IRQ_SET_DATA_NONE &&
      action == VFIO_IRQ_SET_ACTION_TRIGGER) {
    if (request.index == VFIO_PCI_MSI_IRQ_INDEX) {
      event_.Reset();
      masked_ = pending_ = false;
    }
    return 0;
  }
  // There is one vector, so every other valid request is about exactly that one.
  if (Vectors(request.index) == 0 || request.start != 0 || request.count != 1) {
    return EINVAL;
  }
  switch (kind) {
    case VFIO_IRQ_SET_DATA_NONE:
      Act(action);
      return 0;
    case VFIO_IRQ_SET_DATA_BOOL:
      if (data.size() < request.count) {
        return EINVAL;
      }
      if (data[0] != std::byte{0}) {
        Act(action);
      }
      return 0;
    default:
      if (action != VFIO_IRQ_SET_ACTION_TRIGGER || fds.size() > 1) {
        return EINVAL;
      }
      return SetEventFd(fds.empty() ? UniqueFd() : std::move(fds[0]));
  }
}

int IrqSet::SetEventFd(UniqueFd fd) {
  if (fd) {
    if (!IsEventFd(fd.get())) {
      return EINVAL;
    }
    const int flags = fcntl(fd.get(), F_GETFL);
    if (flags < 0 || fcntl(fd.get(), F_SETFL, flags | O_NONBLOCK) != 0) {
      return errno;
    }
  }
  event_ = std::move(fd);
  return 0;
}

void IrqSet::Act(std::uint32_t action) {
  switch (action) {
    case VFIO_IRQ_SET_ACTION_MASK:
      masked_ = true;
      break;
    case VFIO_IRQ_SET_ACTION_UNMASK:
      masked_ = false;
      if (std::exchange(pending_, false)) {
        Deliver();
      }
      break;
    default:
      Deliver();
      break;
  }
}

void IrqSet::Deliver() {
  if (masked_) {
    pending_ = true;
    return;
  }
  const std::uint64_t one = 1;
  // A counter that is full has its reader signalled already.
  if (event_ && (write(event_.get(), &one, sizeof(one)) == sizeof(one) || errno == EAGAIN)) {
    ++delivered_;
  } else {
    ++lost_;
  }
}

void IrqSet::Trigger() {
  const std::scoped_lock lock(mutex_);
  Deliver();
}

void IrqSet::Clear() {
  const std::scoped_lock lock(mutex_);
  event_.Reset();
  masked_ = pending_ = false;
}

std::uint64_t IrqSet::delivered() const {
  const std::scoped_lock lock(mutex_);
  return delivered_;
}

std::uint64_t IrqSet::lost() const {
  const std::scoped_lock lock(mutex_);
  return lost_;
}

}  // namespace kfdcts::vgpu
