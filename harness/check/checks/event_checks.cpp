// KFD events: by the CPU, by an SDMA trap and by an end-of-pipe interrupt.
#include <cerrno>
#include <thread>
#include <vector>

#include "harness/check/fixture.h"
#include "harness/check/target.h"
#include "harness/gpu/events.h"
#include "harness/gpu/runner.h"

namespace kfdcts::check {
namespace {

using gpu::Event;
using gpu::EventWait;
using gpu::Pm4Packets;
using gpu::SdmaPackets;

constexpr std::uint64_t kUnsignalled = ~0ULL;

#define EXPECT_COMPLETE(wait_expression)                          \
  if (const EventWait wait = (wait_expression); !wait.complete()) \
  ADD_FAILURE() << "WAIT_EVENTS: error " << wait.error << ", result " << wait.result

#define EXPECT_TIMED_OUT(wait_expression)                            \
  if (const EventWait wait = (wait_expression);                      \
      wait.error != 0 || wait.result != KFD_IOC_WAIT_RESULT_TIMEOUT) \
  ADD_FAILURE() << "WAIT_EVENTS: error " << wait.error << ", result " << wait.result

class Events : public GpuCheck {
 public:
  Event Make(Event::Reset reset = Event::Reset::kAuto) {
    return {session().events(), KFD_IOC_EVENT_SIGNAL, reset};
  }
};
ON_EACH_GPU(Events);

const gpu::Deadline kNow(std::chrono::milliseconds(0));

GPU_CHECK(Events, NewOneIsNotSignalled) {
  const Event event = check.Make();
  EXPECT_GT(event.id(), 0U);
  EXPECT_EQ(event.trigger(), event.id());
  EXPECT_EQ(event.slot_value(), kUnsignalled);
  EXPECT_TIMED_OUT(event.Wait(kNow));
  EXPECT_TIMED_OUT(event.Wait(gpu::Deadline(std::chrono::milliseconds(20))));
}

GPU_CHECK(Events, AutoResetOneIsTakenOnce) {
  const Event event = check.Make(Event::Reset::kAuto);
  ASSERT_EQ(event.Set(), 0);
  EXPECT_COMPLETE(event.Wait(kNow));
  EXPECT_TIMED_OUT(event.Wait(kNow));
}

GPU_CHECK(Events, ManualResetOneStays) {
  const Event event = check.Make(Event::Reset::kManual);
  ASSERT_EQ(event.Set(), 0);
  EXPECT_COMPLETE(event.Wait(kNow));
  EXPECT_COMPLETE(event.Wait(kNow));
  ASSERT_EQ(event.ResetNow(), 0);
  EXPECT_TIMED_OUT(event.Wait(kNow));
}

GPU_CHECK(Events, SettingWakesAWaiter) {
  const Event event = check.Make();
  std::thread setter([&] { event.Set(); });
  EXPECT_COMPLETE(event.Wait());
  setter.join();
}

GPU_CHECK(Events, AnyAndAllOfSeveral) {
  const Event first = check.Make(Event::Reset::kManual), second = check.Make(Event::Reset::kManual);
  const std::uint32_t ids[] = {first.id(), second.id()};
  const auto& kfd = check.session().kfd();
  EXPECT_TIMED_OUT(gpu::WaitForEvents(kfd, ids, false, 0));
  ASSERT_EQ(second.Set(), 0);
  EXPECT_COMPLETE(gpu::WaitForEvents(kfd, ids, false, 0));
  EXPECT_TIMED_OUT(gpu::WaitForEvents(kfd, ids, true, 0));
  ASSERT_EQ(first.Set(), 0);
  EXPECT_COMPLETE(gpu::WaitForEvents(kfd, ids, true, 0));
}

GPU_CHECK(Events, UnknownOnesAreEINVAL) {
  Event event = check.Make();
  const std::uint32_t ids[] = {event.id(), 3000};
  EXPECT_EQ(gpu::WaitForEvents(check.session().kfd(), ids, false, 0).error, EINVAL);
  kfd_ioctl_set_event_args set{};
  set.event_id = 3000;
  EXPECT_EQ(check.session().kfd().Call(AMDKFD_IOC_SET_EVENT, set), EINVAL);
  kfd_ioctl_destroy_event_args destroy{};
  destroy.event_id = event.id();
  EXPECT_EQ(event.Destroy(), 0);
  EXPECT_EQ(check.session().kfd().Call(AMDKFD_IOC_DESTROY_EVENT, destroy), EINVAL);
}

GPU_CHECK(Events, ExceptionEventsAreNotForTheCpu) {
  const Event event(check.session().events(), KFD_IOC_EVENT_MEMORY);
  EXPECT_GE(event.id(), 0x40000000U);  // KFD_FIRST_NONSIGNAL_EVENT_ID
  EXPECT_EQ(event.Set(), EINVAL);
  EXPECT_EQ(event.ResetNow(), EINVAL);
}

GPU_CHECK(Events, PageCannotBeFreed) {
  ExpectKernelLog("Free signal BO is not allowed");
  const std::uint64_t handle = check.session().events().handle();
  const Event event = check.Make();
  EXPECT_EQ(gpu::FreeHandle(check.session().kfd(), handle), EPERM);
}

GPU_CHECK(Events, SdmaTrapSignals) {
  gpu::SdmaRunner sdma(check.session(), check.gpu());
  const Event event = check.Make(), other = check.Make();
  for (int i = 0; i < 3; ++i) {
    ASSERT_DONE(
        sdma.Run(SdmaPackets().Write(event.slot_address(), event.id()).Trap(event.trigger())));
    EXPECT_COMPLETE(event.Wait());
    EXPECT_EQ(event.slot_value(), kUnsignalled) << "the kernel takes the signal out of the slot";
    EXPECT_TIMED_OUT(event.Wait(kNow));
  }
  EXPECT_TIMED_OUT(other.Wait(kNow));
}

GPU_CHECK(Events, EndOfPipeSignals) {
  gpu::Pm4Runner pm4(check.session(), check.gpu());
  const Event event = check.Make(), other = check.Make();
  for (int i = 0; i < 3; ++i) {
    ASSERT_DONE(pm4.Run(
        Pm4Packets().ReleaseMem(event.slot_address(), event.id(), Pm4Packets::Release::kData64,
                                Pm4Packets::Interrupt::kAfterWrite, event.trigger())));
    EXPECT_COMPLETE(event.Wait());
    EXPECT_EQ(event.slot_value(), kUnsignalled);
    EXPECT_TIMED_OUT(event.Wait(kNow));
  }
  EXPECT_TIMED_OUT(other.Wait(kNow));
}

GPU_CHECK(Events, EachOfManyIsSignalled) {
  constexpr std::size_t kEvents = 40;
  gpu::SdmaRunner sdma(check.session(), check.gpu());
  std::vector<Event> events;
  std::vector<std::uint32_t> ids;
  SdmaPackets packets;
  for (std::size_t i = 0; i < kEvents; ++i) {
    events.push_back(check.Make());
    ids.push_back(events.back().id());
    packets.Write(events.back().slot_address(), events.back().id()).Trap(events.back().trigger());
  }
  ASSERT_DONE(sdma.Run(packets));
  EXPECT_COMPLETE(gpu::WaitForEvents(check.session().kfd(), ids, true, 20000));
}

}  // namespace
}  // namespace kfdcts::check
