// Events.
#include "thunk/src/api/call.h"
#include "thunk/src/events/event_wait.h"

using namespace kfdcts::thunk;  // NOLINT(google-build-using-namespace): the C API's side of it

namespace {

constexpr std::uint32_t kEventAgeMinorVersion = 14;

/// The calls on one event differ in what they do with it only.
template <typename Work>
HSAKMT_STATUS CallOnEvent(HsaKFDContext* ctx, HsaEvent* event, Work&& work) {
  return Call(ctx, [&](Context& context) {
    return event == nullptr ? HSAKMT_STATUS_INVALID_HANDLE : work(context.events());
  });
}

}  // namespace

HSAKMT_STATUS hsaKmtCreateEventCtx(HsaKFDContext* ctx, HsaEventDescriptor* EventDesc,
                                   bool ManualReset, bool IsSignaled, HsaEvent** Event) {
  return Call(ctx, [&](Context& context) {
    if (!NoneNull(EventDesc, Event)) return HSAKMT_STATUS_INVALID_PARAMETER;
    return context.events().Create(*EventDesc, ManualReset, IsSignaled, Event);
  });
}

HSAKMT_STATUS hsaKmtDestroyEventCtx(HsaKFDContext* ctx, HsaEvent* Event) {
  return CallOnEvent(ctx, Event, [&](Events& events) { return events.Destroy(Event); });
}

HSAKMT_STATUS hsaKmtSetEventCtx(HsaKFDContext* ctx, HsaEvent* Event) {
  return CallOnEvent(ctx, Event, [&](const Events& events) { return events.Set(*Event); });
}

HSAKMT_STATUS hsaKmtResetEventCtx(HsaKFDContext* ctx, HsaEvent* Event) {
  return CallOnEvent(ctx, Event, [&](const Events& events) { return events.Reset(*Event); });
}

HSAKMT_STATUS hsaKmtWaitOnMultipleEvents_ExtCtx(HsaKFDContext* ctx, HsaEvent* Events[],
                                                HSAuint32 NumEvents, bool WaitOnAll,
                                                HSAuint32 Milliseconds, uint64_t* event_age) {
  std::optional<EventWait> wait;
  const HSAKMT_STATUS status = Call(ctx, [&](Context& context) {
    if (Events == nullptr) return HSAKMT_STATUS_INVALID_HANDLE;
    for (HSAuint32 i = 0; i < NumEvents; ++i) {
      if (Events[i] == nullptr) return HSAKMT_STATUS_INVALID_HANDLE;
    }
    wait.emplace(context.kfd().calls(), context.file(), context.shared_topology(),
                 context.version().minor_version >= kEventAgeMinorVersion);
    return HSAKMT_STATUS_SUCCESS;
  });
  if (status != HSAKMT_STATUS_SUCCESS) return status;
  // Outside of the context's lock: a wait may last for ever, and closing must not wait for it.
  return Guarded([&] {
    return wait->Wait({Events, NumEvents}, WaitOnAll, Milliseconds, event_age);
  });
}

HSAKMT_STATUS hsaKmtWaitOnMultipleEventsCtx(HsaKFDContext* ctx, HsaEvent* Events[],
                                            HSAuint32 NumEvents, bool WaitOnAll,
                                            HSAuint32 Milliseconds) {
  return hsaKmtWaitOnMultipleEvents_ExtCtx(ctx, Events, NumEvents, WaitOnAll, Milliseconds,
                                           nullptr);
}

HSAKMT_STATUS hsaKmtWaitOnEvent_ExtCtx(HsaKFDContext* ctx, HsaEvent* Event, HSAuint32 Milliseconds,
                                       uint64_t* event_age) {
  return hsaKmtWaitOnMultipleEvents_ExtCtx(ctx, &Event, 1, true, Milliseconds, event_age);
}

HSAKMT_STATUS hsaKmtWaitOnEventCtx(HsaKFDContext* ctx, HsaEvent* Event, HSAuint32 Milliseconds) {
  return hsaKmtWaitOnEvent_ExtCtx(ctx, Event, Milliseconds, nullptr);
}

HSAKMT_STATUS hsaKmtQueryEventStateCtx(HsaKFDContext* ctx, HsaEvent* Event) {
  return hsaKmtWaitOnEventCtx(ctx, Event, HSA_EVENTTIMEOUT_IMMEDIATE);
}

HSAKMT_STATUS hsaKmtCreateEvent(HsaEventDescriptor* EventDesc, bool ManualReset, bool IsSignaled,
                                HsaEvent** Event) {
  return hsaKmtCreateEventCtx(Primary(), EventDesc, ManualReset, IsSignaled, Event);
}

HSAKMT_STATUS hsaKmtDestroyEvent(HsaEvent* Event) {
  return hsaKmtDestroyEventCtx(Primary(), Event);
}

HSAKMT_STATUS hsaKmtSetEvent(HsaEvent* Event) { return hsaKmtSetEventCtx(Primary(), Event); }

HSAKMT_STATUS hsaKmtResetEvent(HsaEvent* Event) { return hsaKmtResetEventCtx(Primary(), Event); }

HSAKMT_STATUS hsaKmtQueryEventState(HsaEvent* Event) {
  return hsaKmtQueryEventStateCtx(Primary(), Event);
}

HSAKMT_STATUS hsaKmtWaitOnEvent(HsaEvent* Event, HSAuint32 Milliseconds) {
  return hsaKmtWaitOnEventCtx(Primary(), Event, Milliseconds);
}

HSAKMT_STATUS hsaKmtWaitOnEvent_Ext(HsaEvent* Event, HSAuint32 Milliseconds, uint64_t* event_age) {
  return hsaKmtWaitOnEvent_ExtCtx(Primary(), Event, Milliseconds, event_age);
}

HSAKMT_STATUS hsaKmtWaitOnMultipleEvents(HsaEvent* Events[], HSAuint32 NumEvents, bool WaitOnAll,
                                         HSAuint32 Milliseconds) {
  return hsaKmtWaitOnMultipleEventsCtx(Primary(), Events, NumEvents, WaitOnAll, Milliseconds);
}

HSAKMT_STATUS hsaKmtWaitOnMultipleEvents_Ext(HsaEvent* Events[], HSAuint32 NumEvents,
                                             bool WaitOnAll, HSAuint32 Milliseconds,
                                             uint64_t* event_age) {
  return hsaKmtWaitOnMultipleEvents_ExtCtx(Primary(), Events, NumEvents, WaitOnAll, Milliseconds,
                                           event_age);
}
