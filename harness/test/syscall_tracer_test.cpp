#include "harness/probes/syscall_tracer.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <thread>

#include "harness/test_support/child.h"

namespace kfdcts::harness {
namespace {

const SyscallMatch kOpen = SyscallMatch::Call(SYS_openat);
const SyscallMatch kReadable = SyscallMatch::Ioctl(FIONREAD);

/// A tracer stays for a process's life, so each test is a process.
void Traced(const std::function<void(SyscallTracer&)>& body) {
  const auto result = RunInChild([&] { body(SyscallTracer::Install()); });
  EXPECT_TRUE(result.Passed()) << result.Describe();
}

int OpenNull() { return open("/dev/null", O_RDONLY | O_CLOEXEC); }

TEST(SyscallTracer, IsAvailableHere) { EXPECT_EQ("", SyscallTracer::WhyUnavailable()); }

TEST(SyscallTracer, CountsByNumber) {
  Traced([](SyscallTracer& tracer) {
    tracer.Reset();
    close(OpenNull());
    close(OpenNull());
    EXPECT_EQ(2u, tracer.Count(kOpen));
    EXPECT_EQ(2u, tracer.Count(SyscallMatch::Call(SYS_close)));
    EXPECT_EQ(0u, tracer.Count(SyscallMatch::Ioctl()));
    EXPECT_EQ("openat, close, openat, close", tracer.Describe());
    tracer.Reset();
    EXPECT_EQ(0u, tracer.Count(kOpen));
  });
}

TEST(SyscallTracer, CountsIoctlsByTypeAndNumberWhateverTheirSize) {
  Traced([](SyscallTracer& tracer) {
    const int fd = OpenNull();
    tracer.Reset();
    ioctl(fd, _IOC(_IOC_READ, 'K', 5, 8), nullptr);
    ioctl(fd, _IOC(_IOC_READ | _IOC_WRITE, 'K', 5, 16), nullptr);
    ioctl(fd, _IOC(_IOC_READ, 'K', 6, 8), nullptr);
    EXPECT_EQ(2u, tracer.Count(SyscallMatch::Ioctl(_IOC(0, 'K', 5, 0))));
    EXPECT_EQ(3u, tracer.Count(SyscallMatch::Ioctl()));
    EXPECT_EQ("ioctl 4b05, ioctl 4b05, ioctl 4b06", tracer.Describe());
  });
}

TEST(SyscallTracer, SeesRawCallsThreadsAndChildren) {
  Traced([](SyscallTracer& tracer) {
    tracer.Reset();
    close(static_cast<int>(syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDONLY)));
    std::thread([] { close(OpenNull()); }).join();
    const std::uint64_t with_thread = tracer.Count(kOpen);
    EXPECT_EQ(2u, with_thread);
    const pid_t child = fork();
    if (child == 0) {
      close(OpenNull());
      _exit(0);
    }
    waitpid(child, nullptr, 0);
    EXPECT_EQ(with_thread + 1, tracer.Count(kOpen));
  });
}

TEST(SyscallTracer, FailsTheNthAlone) {
  Traced([](SyscallTracer& tracer) {
    tracer.FailNth(kOpen, 2, EMFILE);
    EXPECT_LE(0, OpenNull());
    errno = 0;
    EXPECT_EQ(-1, OpenNull());
    EXPECT_EQ(EMFILE, errno);
    EXPECT_LE(0, OpenNull());
    EXPECT_EQ(1u, tracer.Interventions());
  });
}

TEST(SyscallTracer, FailsAllUntilReset) {
  Traced([](SyscallTracer& tracer) {
    tracer.FailAll(kOpen, EACCES);
    EXPECT_EQ(-1, OpenNull());
    EXPECT_EQ(-1, OpenNull());
    EXPECT_EQ(2u, tracer.Interventions());
    tracer.Reset();
    EXPECT_LE(0, OpenNull());
  });
}

TEST(SyscallTracer, FalsifiesWhatAnIoctlGave) {
  Traced([](SyscallTracer& tracer) {
    std::array<int, 2> ends{};
    ASSERT_EQ(0, pipe(ends.data()));
    ASSERT_EQ(3, write(ends[1], "abc", 3));
    tracer.FalsifyNth(kReadable, 2, Patch::Value<std::uint8_t>(1, 0x12));
    int bytes = 0;
    ASSERT_EQ(0, ioctl(ends[0], FIONREAD, &bytes));
    EXPECT_EQ(3, bytes);
    ASSERT_EQ(0, ioctl(ends[0], FIONREAD, &bytes));
    EXPECT_EQ(0x1203, bytes);
    ASSERT_EQ(0, ioctl(ends[0], FIONREAD, &bytes));
    EXPECT_EQ(3, bytes);
  });
}

TEST(SyscallTracer, FalsifiesBehindAPointer) {
  Traced([](SyscallTracer& tracer) {
    const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    ASSERT_LE(0, fd);
    std::array<ifreq, 8> interfaces{};
    ifconf list{};
    list.ifc_len = sizeof(interfaces);
    list.ifc_req = interfaces.data();
    tracer.FalsifyNth(SyscallMatch::Ioctl(SIOCGIFCONF), 0,
                      Patch::Value<char>(sizeof(ifreq) * 7, '!', offsetof(ifconf, ifc_ifcu)));
    ASSERT_EQ(0, ioctl(fd, SIOCGIFCONF, &list));
    EXPECT_EQ('!', interfaces[7].ifr_name[0]);
  });
}

TEST(SyscallTracer, AFailedCallIsNotPatched) {
  Traced([](SyscallTracer& tracer) {
    tracer.FalsifyNth(kReadable, 0, Patch::Value<int>(0, 77));
    int bytes = 5;
    EXPECT_EQ(-1, ioctl(-1, FIONREAD, &bytes));
    EXPECT_EQ(EBADF, errno);
    EXPECT_EQ(5, bytes);
  });
}

TEST(SyscallTracer, ABadPointerIsAnErrorNotACrash) {
  Traced([](SyscallTracer& tracer) {
    std::array<int, 2> ends{};
    ASSERT_EQ(0, pipe(ends.data()));
    tracer.FalsifyNth(kReadable, 0, Patch::Value<int>(0, 77));
    EXPECT_EQ(-1, ioctl(ends[0], FIONREAD, nullptr));
    EXPECT_EQ(EFAULT, errno);
  });
}

TEST(SyscallTracer, ACallThatASignalRestartsIsCountedOnce) {
  Traced([](SyscallTracer& tracer) {
    struct sigaction action {};
    action.sa_handler = [](int) {};
    action.sa_flags = SA_RESTART;
    sigaction(SIGUSR1, &action, nullptr);
    tracer.Reset();
    const pid_t self = getpid();
    std::jthread nuisance([self](const std::stop_token& stop) {
      while (!stop.stop_requested()) kill(self, SIGUSR1);
    });
    for (int i = 0; i < 200; ++i) {
      const int fd = OpenNull();
      EXPECT_LE(0, fd) << strerror(errno);
      close(fd);
    }
    EXPECT_EQ(200u, tracer.Count(kOpen));
  });
}

TEST(SyscallTracer, TooMuchAtOnceIsRefused) {
  Traced([](SyscallTracer& tracer) {
    for (int i = 0; i < 32; ++i) tracer.FailNth(kOpen, 1000, EIO);
    EXPECT_THROW(tracer.FailNth(kOpen, 1000, EIO), std::length_error);
    EXPECT_THROW(tracer.FalsifyNth(kOpen, 1, {0, std::vector<std::uint8_t>(65), {}}),
                 std::length_error);
  });
}

TEST(KillOnIoctl, AnIoctlIsTheEnd) {
  const auto result = RunInChild([] {
    KillOnIoctl();
    int bytes = 0;
    ioctl(0, FIONREAD, &bytes);
  });
  EXPECT_EQ(SIGSYS, result.signal) << result.Describe();
}

TEST(KillOnIoctl, OtherCallsPass) {
  const auto result = RunInChild([] {
    KillOnIoctl();
    close(OpenNull());
  });
  EXPECT_TRUE(result.Passed()) << result.Describe();
}

}  // namespace
}  // namespace kfdcts::harness
