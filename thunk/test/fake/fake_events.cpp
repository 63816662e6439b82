#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "thunk/test/fake/fake_process.h"

namespace kfdcts::thunk {
namespace {

constexpr std::uint64_t kEventPageOffset = 2ull << 62;  // KFD_MMAP_TYPE_EVENTS
constexpr std::uint32_t kForEver = 0xffffffff;

bool HasSlot(std::uint32_t type) {
  return type == KFD_IOC_EVENT_SIGNAL || type == KFD_IOC_EVENT_DEBUG_EVENT;
}

// The age is the first member of the data's union (KFD 1.14; older headers do not name it).
std::uint64_t AgeOf(const kfd_event_data& data) {
  std::uint64_t age;
  std::memcpy(&age, &data, sizeof age);
  return age;
}

}  // namespace

int FakeEvents::Create(kfd_ioctl_create_event_args& arguments) {
  const bool slot = HasSlot(arguments.event_type);
  if (slot && free_signal_ids_.empty() && next_signal_id_ >= KFD_SIGNAL_EVENT_LIMIT) return -ENOSPC;
  const std::uint32_t id = slot ? TakeSignalId() : next_other_id_++;
  auto event = std::make_shared<Event>();
  event->type = arguments.event_type;
  event->auto_reset = arguments.auto_reset != 0;
  events_[id] = std::move(event);
  arguments.event_page_offset = slot ? kEventPageOffset : 0;
  if (slot) arguments.event_slot_index = id;
  arguments.event_id = id;
  arguments.event_trigger_data = id;
  return 0;
}

std::uint32_t FakeEvents::TakeSignalId() {
  if (free_signal_ids_.empty()) return next_signal_id_++;
  return free_signal_ids_.extract(free_signal_ids_.begin()).value();
}

int FakeEvents::Destroy(std::uint32_t id) {
  if (events_.erase(id) == 0) return -EINVAL;
  if (id < KFD_SIGNAL_EVENT_LIMIT) free_signal_ids_.insert(id);
  changed_.notify_all();
  return 0;
}

int FakeEvents::Set(std::uint32_t id) {
  const auto found = events_.find(id);
  if (found == events_.end() || found->second->type != KFD_IOC_EVENT_SIGNAL) return -EINVAL;
  Event& event = *found->second;
  event.signaled = !event.auto_reset || event.waiters == 0;
  ++event.age;
  changed_.notify_all();
  return 0;
}

int FakeEvents::Reset(std::uint32_t id) {
  const auto found = events_.find(id);
  if (found == events_.end() || found->second->type != KFD_IOC_EVENT_SIGNAL) return -EINVAL;
  found->second->signaled = false;
  return 0;
}

int FakeEvents::StartWaiting(std::vector<Waiter>& waiters, kfd_event_data* data) {
  for (std::size_t i = 0; i < waiters.size(); ++i) {
    const auto found = events_.find(data[i].event_id);
    if (found == events_.end()) return -EINVAL;
    Event& event = *found->second;
    Waiter& waiter = waiters[i];
    waiter.event = found->second;
    waiter.activated = event.signaled;
    event.signaled = event.signaled && !event.auto_reset;
    const std::uint64_t age = AgeOf(data[i]);
    waiter.wants_age = event.type == KFD_IOC_EVENT_SIGNAL && age != 0;
    if (waiter.wants_age && age != event.age) waiter.activated = true;
    waiter.start_age = event.age;
    waiter.counted = !waiter.activated;
    if (waiter.counted) ++event.waiters;
  }
  return 0;
}

void FakeEvents::StopWaiting(std::vector<Waiter>& waiters) {
  for (Waiter& waiter : waiters)
    if (const auto event = waiter.event.lock(); event && waiter.counted) --event->waiters;
}

std::uint32_t FakeEvents::Judge(std::vector<Waiter>& waiters, bool all) {
  std::size_t activated = 0;
  for (Waiter& waiter : waiters) {
    const auto event = waiter.event.lock();
    if (!event) return KFD_IOC_WAIT_RESULT_FAIL;
    if (event->age != waiter.start_age) waiter.activated = true;
    if (waiter.activated) ++activated;
  }
  const bool done = all ? activated == waiters.size() : activated > 0 || waiters.empty();
  return done ? KFD_IOC_WAIT_RESULT_COMPLETE : KFD_IOC_WAIT_RESULT_TIMEOUT;
}

int FakeEvents::Wait(kfd_ioctl_wait_events_args& arguments, std::unique_lock<std::mutex>& lock) {
  auto* data = reinterpret_cast<kfd_event_data*>(arguments.events_ptr);
  std::vector<Waiter> waiters(arguments.num_events);
  const int error = StartWaiting(waiters, data);
  const auto deadline =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(arguments.timeout);
  std::uint32_t result = KFD_IOC_WAIT_RESULT_FAIL;
  while (error == 0) {
    result = Judge(waiters, arguments.wait_for_all != 0);
    if (result != KFD_IOC_WAIT_RESULT_TIMEOUT) break;
    if (arguments.timeout == kForEver) {
      changed_.wait(lock);
    } else if (changed_.wait_until(lock, deadline) == std::cv_status::timeout) {
      result = Judge(waiters, arguments.wait_for_all != 0);
      break;
    }
  }
  for (std::size_t i = 0; result == KFD_IOC_WAIT_RESULT_COMPLETE && i < waiters.size(); ++i) {
    const auto event = waiters[i].event.lock();
    if (waiters[i].activated && waiters[i].wants_age)
      std::memcpy(&data[i], &event->age, sizeof event->age);
  }
  StopWaiting(waiters);
  arguments.wait_result = result;
  if (error != 0) return error;
  return result == KFD_IOC_WAIT_RESULT_FAIL ? -EIO : 0;
}

}  // namespace kfdcts::thunk
