#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <thread>

#include "thunk/test/fake/fake_kernel.h"

namespace kfdcts::thunk {
namespace {

class FakeEventsTest : public testing::Test {
 protected:
  FakeEventsTest() : kfd_(kernel_.Open("/dev/kfd", 0)) {}

  std::uint32_t Create(bool auto_reset) {
    kfd_ioctl_create_event_args event{};
    event.event_type = KFD_IOC_EVENT_SIGNAL;
    event.auto_reset = auto_reset;
    EXPECT_EQ(kernel_.Ioctl(kfd_, AMDKFD_IOC_CREATE_EVENT, &event), 0);
    return event.event_id;
  }
  int Set(std::uint32_t id) {
    kfd_ioctl_set_event_args event{.event_id = id, .pad = 0};
    return kernel_.Ioctl(kfd_, AMDKFD_IOC_SET_EVENT, &event);
  }
  /// The wait's result, or -errno.
  int Wait(std::uint32_t id, std::uint32_t timeout, std::uint64_t* age = nullptr) {
    kfd_event_data data{};
    data.event_id = id;
    if (age) std::memcpy(&data, age, sizeof *age);
    kfd_ioctl_wait_events_args wait{.events_ptr = reinterpret_cast<std::uint64_t>(&data),
                                    .num_events = 1,
                                    .wait_for_all = 0,
                                    .timeout = timeout,
                                    .wait_result = 99};
    const int error = kernel_.Ioctl(kfd_, AMDKFD_IOC_WAIT_EVENTS, &wait);
    if (age) std::memcpy(age, &data, sizeof *age);
    return error != 0 ? error : static_cast<int>(wait.wait_result);
  }

  static constexpr int kDone = KFD_IOC_WAIT_RESULT_COMPLETE;
  static constexpr int kTimeout = KFD_IOC_WAIT_RESULT_TIMEOUT;
  FakeKernel kernel_;
  int kfd_;
};

TEST_F(FakeEventsTest, ManualEventStaysSet) {
  const std::uint32_t id = Create(false);
  EXPECT_EQ(Wait(id, 0), kTimeout);
  EXPECT_EQ(Set(id), 0);
  EXPECT_EQ(Wait(id, 0), kDone);
  EXPECT_EQ(Wait(id, 0), kDone);
}

TEST_F(FakeEventsTest, AutomaticEventWakesOnce) {
  const std::uint32_t id = Create(true);
  EXPECT_EQ(Set(id), 0);
  EXPECT_EQ(Wait(id, 0), kDone);
  EXPECT_EQ(Wait(id, 1), kTimeout);
}

TEST_F(FakeEventsTest, SetWakesAWaiter) {
  const std::uint32_t id = Create(true);
  std::thread waiter([&] { EXPECT_EQ(Wait(id, 0xffffffff), kDone); });
  // Once the call is counted the waiter lets nobody in before it sleeps.
  while (kernel_.Calls(KfdCall(AMDKFD_IOC_WAIT_EVENTS)) == 0) std::this_thread::yield();
  Set(id);
  waiter.join();
  EXPECT_EQ(Wait(id, 0), kTimeout);  // the waiter took the signal
}

TEST_F(FakeEventsTest, AgeTellsOfASetThatWasMissed) {
  const std::uint32_t id = Create(true);
  std::uint64_t age = 1;
  EXPECT_EQ(Wait(id, 0, &age), kTimeout);
  EXPECT_EQ(Set(id), 0);
  EXPECT_EQ(Wait(id, 0), kDone);  // takes the signal, not the age
  EXPECT_EQ(Wait(id, 0, &age), kDone);
  EXPECT_EQ(age, 2u);
  EXPECT_EQ(Wait(id, 0, &age), kTimeout);
}

TEST_F(FakeEventsTest, DestroyedEventFailsItsWaiter) {
  const std::uint32_t id = Create(false);
  std::thread waiter([&] {
    const int result = Wait(id, 0xffffffff);
    EXPECT_TRUE(result == -EIO || result == -EINVAL) << result;  // the latter: it came late
  });
  kfd_ioctl_destroy_event_args destroy{.event_id = id, .pad = 0};
  EXPECT_EQ(kernel_.Ioctl(kfd_, AMDKFD_IOC_DESTROY_EVENT, &destroy), 0);
  EXPECT_EQ(kernel_.Ioctl(kfd_, AMDKFD_IOC_DESTROY_EVENT, &destroy), -EINVAL);
  waiter.join();
  EXPECT_EQ(Set(id), -EINVAL);
}

}  // namespace
}  // namespace kfdcts::thunk
