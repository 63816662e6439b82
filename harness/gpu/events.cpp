#include "harness/gpu/events.h"

#include <utility>

namespace kfdcts::gpu {

EventPage::EventPage(Gpu& gpu) : kfd_(gpu.kfd()), buffer_(gpu, BufferKind::kGtt, kBytes) {}

EventPage::~EventPage() {
  if (handed_over_) buffer_.Abandon();
}

std::uint64_t EventPage::TakeHandle() {
  return std::exchange(handed_over_, true) ? 0 : buffer_.handle();
}

Event::Event(EventPage& page, std::uint32_t type, Reset reset) : page_(&page) {
  kfd_ioctl_create_event_args args{};
  args.event_page_offset = page.TakeHandle();
  args.event_type = type;
  args.auto_reset = reset == Reset::kAuto ? 1 : 0;
  page.kfd().Do(AMDKFD_IOC_CREATE_EVENT, args, "CREATE_EVENT");
  id_ = args.event_id;
  trigger_ = args.event_trigger_data;
  slot_ = args.event_slot_index;
}

Event::Event(Event&& other) noexcept
    : page_(std::exchange(other.page_, nullptr)),
      id_(other.id_),
      trigger_(other.trigger_),
      slot_(other.slot_) {}

Event::~Event() {
  if (page_ != nullptr) Destroy();
}

EventWait Event::Wait(const Deadline& deadline) const {
  return WaitForEvents(page_->kfd(), {&id_, 1}, true, deadline.RemainingMs());
}

int Event::Set() const {
  kfd_ioctl_set_event_args args{};
  args.event_id = id_;
  return page_->kfd().Call(AMDKFD_IOC_SET_EVENT, args);
}

int Event::ResetNow() const {
  kfd_ioctl_reset_event_args args{};
  args.event_id = id_;
  return page_->kfd().Call(AMDKFD_IOC_RESET_EVENT, args);
}

int Event::Destroy() {
  kfd_ioctl_destroy_event_args args{};
  args.event_id = id_;
  return std::exchange(page_, nullptr)->kfd().Call(AMDKFD_IOC_DESTROY_EVENT, args);
}

EventWait WaitForEvents(const Kfd& kfd, std::span<const std::uint32_t> ids, bool all,
                        std::uint32_t timeout_ms) {
  EventWait wait;
  wait.data.resize(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) wait.data[i].event_id = ids[i];
  kfd_ioctl_wait_events_args args{};
  args.events_ptr = reinterpret_cast<std::uint64_t>(wait.data.data());
  args.num_events = static_cast<std::uint32_t>(ids.size());
  args.wait_for_all = all ? 1 : 0;
  args.timeout = timeout_ms;
  wait.error = kfd.Call(AMDKFD_IOC_WAIT_EVENTS, args);
  wait.result = args.wait_result;
  return wait;
}

}  // namespace kfdcts::gpu
