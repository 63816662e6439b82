#include "thunk/src/events/events.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <thread>

#include "thunk/src/context/context.h"
#include "thunk/src/events/event_wait.h"
#include "thunk/test/fake/fake_kernel.h"

namespace kfdcts::thunk {
namespace {

constexpr std::uint32_t kForEver = HSA_EVENTTIMEOUT_INFINITE;

class EventsTest : public testing::Test {
 protected:
  void SetUp() override {
    auto render_nodes = std::make_shared<RenderNodes>(kernel_, true);
    ASSERT_EQ(Context::Open(kernel_, true, std::move(render_nodes), context_),
              HSAKMT_STATUS_SUCCESS);
  }
  void TearDown() override {
    context_.reset();
    // The kernel keeps the page of signals as long as the process lives.
    EXPECT_EQ(kernel_.Leftovers(), has_page_ ? "1 buffers" : "");
  }

  HsaEvent* Create(bool manual, bool signaled, HSA_EVENTTYPE type = HSA_EVENTTYPE_SIGNAL) {
    HsaEventDescriptor descriptor{};
    descriptor.EventType = type;
    HsaEvent* event = nullptr;
    EXPECT_EQ(context_->events().Create(descriptor, manual, signaled, &event),
              HSAKMT_STATUS_SUCCESS);
    return event;
  }
  HSAKMT_STATUS Wait(std::vector<HsaEvent*> events, bool all, std::uint32_t milliseconds,
                     std::uint64_t* ages = nullptr) {
    return EventWait(kernel_, context_->file(), context_->shared_topology(), true)
        .Wait(events, all, milliseconds, ages);
  }

  FakeKernel kernel_;
  std::unique_ptr<Context> context_;
  bool has_page_ = true;
};

TEST_F(EventsTest, SignalOfAManualEventStays) {
  HsaEvent* event = Create(true, false);
  EXPECT_EQ(Wait({event}, true, 0), HSAKMT_STATUS_WAIT_TIMEOUT);
  EXPECT_EQ(context_->events().Set(*event), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Wait({event}, true, 0), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Wait({event}, true, 0), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(context_->events().Reset(*event), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Wait({event}, true, 0), HSAKMT_STATUS_WAIT_TIMEOUT);
}

TEST_F(EventsTest, EveryGpuReachesTheSignals) {
  const std::size_t before = kernel_.Holdings().gpu_mappings;
  Create(true, false);
  EXPECT_EQ(kernel_.Holdings().gpu_mappings, before + 2);
}

TEST_F(EventsTest, SignalOfAnAutomaticEventIsTakenOnce) {
  HsaEvent* event = Create(false, true);
  EXPECT_EQ(Wait({event}, true, 0), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Wait({event}, true, 0), HSAKMT_STATUS_WAIT_TIMEOUT);
}

TEST_F(EventsTest, AnyAndAll) {
  HsaEvent* set = Create(true, true);
  HsaEvent* unset = Create(true, false);
  EXPECT_EQ(Wait({set, unset}, false, 0), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Wait({set, unset}, true, 0), HSAKMT_STATUS_WAIT_TIMEOUT);
  EXPECT_EQ(context_->events().Set(*unset), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Wait({set, unset}, true, 0), HSAKMT_STATUS_SUCCESS);
}

TEST_F(EventsTest, AnotherThreadWakesAWait) {
  HsaEvent* event = Create(false, false);
  std::thread waiter([&] { EXPECT_EQ(Wait({event}, true, kForEver), HSAKMT_STATUS_SUCCESS); });
  EXPECT_EQ(context_->events().Set(*event), HSAKMT_STATUS_SUCCESS);
  waiter.join();
}

TEST_F(EventsTest, AgeTellsASignalThatWasMissed) {
  HsaEvent* event = Create(false, false);
  std::uint64_t age = 1;
  EXPECT_EQ(Wait({event}, true, 0, &age), HSAKMT_STATUS_WAIT_TIMEOUT);
  EXPECT_EQ(context_->events().Set(*event), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Wait({event}, true, 0, &age), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(age, 2U);
}

TEST_F(EventsTest, SlotsAreInThePage) {
  HsaEvent* first = Create(false, false);
  HsaEvent* second = Create(false, false);
  ASSERT_NE(HSAuint64{first->EventData.HWData2}, 0U);
  EXPECT_NE(HSAuint64{first->EventData.HWData2}, HSAuint64{second->EventData.HWData2});
  EXPECT_EQ(HSAuint64{first->EventData.HWData1}, first->EventId);
}

TEST_F(EventsTest, DriversEventsAreNotSet) {
  HsaEvent* event = Create(true, false, HSA_EVENTTYPE_MEMORY);
  EXPECT_EQ(context_->events().Set(*event), HSAKMT_STATUS_ERROR);
  EXPECT_EQ(context_->events().Reset(*event), HSAKMT_STATUS_ERROR);
}

TEST_F(EventsTest, DestroyedOnce) {
  HsaEvent* event = Create(true, false);
  EXPECT_EQ(context_->events().Destroy(event), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(context_->events().Destroy(event), HSAKMT_STATUS_INVALID_HANDLE);
}

TEST_F(EventsTest, UnknownNodeAndType) {
  has_page_ = false;
  HsaEventDescriptor descriptor{};
  HsaEvent* event = nullptr;
  descriptor.NodeId = 99;
  EXPECT_EQ(context_->events().Create(descriptor, true, false, &event),
            HSAKMT_STATUS_INVALID_NODE_UNIT);
  descriptor.NodeId = 0;
  descriptor.EventType = HSA_EVENTTYPE_MAXID;
  EXPECT_EQ(context_->events().Create(descriptor, true, false, &event),
            HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(event, nullptr);
}

TEST_F(EventsTest, FailedFirstEventLeavesNoPage) {
  const FakeHoldings before = kernel_.Holdings();
  HsaEventDescriptor descriptor{};
  HsaEvent* event = nullptr;
  kernel_.FailNthOf(KfdCall(AMDKFD_IOC_CREATE_EVENT), 1, ENOMEM);
  EXPECT_EQ(context_->events().Create(descriptor, true, false, &event), HSAKMT_STATUS_NO_MEMORY);
  EXPECT_EQ(kernel_.Holdings(), before);
  EXPECT_NE(Create(true, false), nullptr);
}

TEST_F(EventsTest, SignalsNeitherEndNorProlongAWait) {
  HsaEvent* event = Create(true, false);
  kernel_.FailNthOf(KfdCall(AMDKFD_IOC_WAIT_EVENTS), 1, EINTR);
  EXPECT_EQ(Wait({event}, true, 1), HSAKMT_STATUS_WAIT_TIMEOUT);
  EXPECT_EQ(kernel_.Calls(KfdCall(AMDKFD_IOC_WAIT_EVENTS)), 2U);
}

TEST_F(EventsTest, WaitOutlivesItsContext) {
  HsaEvent* event = Create(true, true);
  const EventWait wait(kernel_, context_->file(), context_->shared_topology(), true);
  HsaEvent copy = *event;
  HsaEvent* const waited = &copy;
  context_.reset();  // destroys the event: the wait is refused, not answered from a closed file
  EXPECT_EQ(wait.Wait({&waited, 1}, true, 0, nullptr), HSAKMT_STATUS_ERROR);
}

}  // namespace
}  // namespace kfdcts::thunk
