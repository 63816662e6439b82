#include "harness/run/watchdog.h"

#include <fcntl.h>
#include <linux/watchdog.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace kfdcts::harness {
namespace {

// Documentation/watchdog/watchdog-api.rst: any byte is a sign of life, a 'V' before the close says
// that the close is meant.
constexpr char kAlive = '\n';
constexpr char kMagicClose = 'V';

bool Put(int fd, char byte) {
  ssize_t put = -1;
  do {
    put = write(fd, &byte, 1);
  } while (put < 0 && errno == EINTR);
  return put == 1;
}

}  // namespace

Watchdog::Watchdog(const std::filesystem::path& device)
    : device_(open(device.c_str(), O_WRONLY | O_CLOEXEC)) {
  if (!device_) {
    throw std::system_error(errno, std::generic_category(), "watchdog " + device.string());
  }
  // A device with less than this time keeps its own; the pings come every few seconds.
  int timeout = static_cast<int>(kTimeout.count());
  ioctl(device_.get(), WDIOC_SETTIMEOUT, &timeout);
  if (!Put(device_.get(), kAlive)) {
    throw std::system_error(errno, std::generic_category(), "watchdog " + device.string());
  }
}

Watchdog::~Watchdog() { Put(device_.get(), kMagicClose); }

void Watchdog::Ping() const { Put(device_.get(), kAlive); }

}  // namespace kfdcts::harness
