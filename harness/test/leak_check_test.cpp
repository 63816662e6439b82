#include "harness/probes/leak_check.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <future>
#include <thread>

namespace kfdcts::harness {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(LeakCheck, NothingHeldNothingFound) {
  const LeakCheck check(nullptr);
  EXPECT_THAT(check.Leaks(), IsEmpty());
}

TEST(LeakCheck, SeesADescriptor) {
  const LeakCheck check(nullptr);
  const int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
  EXPECT_THAT(check.Leaks(), ElementsAre("descriptor " + std::to_string(fd) + " of /dev/null"));
  close(fd);
  EXPECT_THAT(check.Leaks(), IsEmpty());
}

TEST(LeakCheck, SeesADescriptorThatNowLeadsElsewhere) {
  const int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
  const LeakCheck check(nullptr);
  close(fd);
  ASSERT_EQ(fd, open("/dev/zero", O_RDONLY | O_CLOEXEC));
  EXPECT_THAT(check.Leaks(), ElementsAre(HasSubstr("/dev/zero")));
  close(fd);
}

TEST(LeakCheck, SeesADeviceMapping) {
  const int fd = open("/dev/zero", O_RDWR | O_CLOEXEC);
  const LeakCheck check(nullptr);
  const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* memory = mmap(nullptr, size, PROT_READ, MAP_SHARED, fd, 0);
  ASSERT_NE(MAP_FAILED, memory);
  EXPECT_THAT(check.Leaks(), ElementsAre(AllOf(HasSubstr("mapping"), HasSubstr("/dev/zero"),
                                               HasSubstr("(" + std::to_string(size) + " bytes)"))));
  munmap(memory, size);
  EXPECT_THAT(check.Leaks(), IsEmpty());
  close(fd);
}

TEST(LeakCheck, SeesAThread) {
  std::promise<void> stop;
  const LeakCheck check(nullptr);
  std::thread thread([future = stop.get_future()]() mutable { future.wait(); });
  EXPECT_THAT(check.Leaks(), testing::Contains(HasSubstr("thread ")));
  stop.set_value();
  thread.join();
}

TEST(LeakComparison, SeesKfdMemoryThatGrew) {
  Holdings before;
  before.kfd_memory = {{"vram_1", 4096}, {"vram_2", 8192}};
  Holdings after;
  after.kfd_memory = {{"vram_1", 12288}, {"vram_2", 4096}};
  EXPECT_THAT(Compare(before, after), ElementsAre("KFD memory: 8192 of vram_1"));
}

TEST(LeakComparison, SeesKfdMemoryThatWasNotThere) {
  Holdings after;
  after.kfd_memory = {{"vram_1", 4096}};
  EXPECT_THAT(Compare({}, after), ElementsAre("KFD memory: 4096 of vram_1"));
}

TEST(LeakComparison, SeesThunkObjects) {
  Holdings before;
  before.thunk_objects = 2;
  Holdings after;
  after.thunk_objects = 5;
  EXPECT_THAT(Compare(before, after), ElementsAre("thunk objects: 3"));
  EXPECT_THAT(Compare(after, before), IsEmpty());
}

}  // namespace
}  // namespace kfdcts::harness
