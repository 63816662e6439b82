#include "harness/vm/cli/signals.h"

#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "harness/vm/base/errors.h"

namespace kfdcts::vm {

StopSignals::StopSignals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    sigaddset(&set, number);
  }
  fd_.Reset(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!fd_ || sigprocmask(SIG_BLOCK, &set, nullptr) != 0) {
    ThrowErrno("signalfd");
  }
}

int StopSignals::Caught() {
  signalfd_siginfo info{};
  return read(fd_.get(), &info, sizeof info) == sizeof info ? static_cast<int>(info.ssi_signo) : 0;
}

}  // namespace kfdcts::vm
