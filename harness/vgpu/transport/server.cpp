#include "harness/vgpu/transport/server.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <system_error>
#include <thread>

#include "harness/vgpu/core/device.h"
#include "harness/vgpu/director/commands.h"
#include "harness/vgpu/director/line_server.h"
#include "harness/vgpu/transport/engine_thread.h"
#include "harness/vgpu/transport/listener.h"
#include "harness/vgpu/transport/session.h"
#include "harness/vgpu/transport/trace_log.h"
#include "harness/vgpu/transport/unique_fd.h"
#include "harness/vgpu/transport/vfio_host.h"

namespace kfdcts::vgpu {
namespace {

/// Runs `make`, and makes of its failure one of the argument `option`.
template <typename Make>
auto ForOption(const char* option, Make make) {
  try {
    return make();
  } catch (const std::exception& problem) {
    throw UsageError(std::string(option) + ": " + problem.what());
  }
}

/// SIGTERM, SIGINT and SIGHUP as a descriptor; they must be blocked before the first thread begins.
UniqueFd SignalFd() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    sigaddset(&signals, signal);
  }
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  UniqueFd fd(signalfd(-1, &signals, SFD_CLOEXEC));
  if (!fd) {
    throw std::system_error(errno, std::generic_category(), "signalfd");
  }
  return fd;
}

/// Waits for either; true where it is `fd` and no signal.
bool WaitUnlessSignalled(int fd, int signals) {
  pollfd polled[2] = {{fd, POLLIN, 0}, {signals, POLLIN, 0}};
  while (poll(polled, 2, -1) < 0 && errno == EINTR) {
  }
  return polled[1].revents == 0;
}

void SayReady(int fd) {
  constexpr std::string_view kReady = "ready\n";
  if (fd < 0) {
    std::cout << kReady << std::flush;
    return;
  }
  const UniqueFd owned(fd);
  // Who does not listen any more need not know.
  [[maybe_unused]] const ssize_t written = write(fd, kReady.data(), kReady.size());
}

/// Runs the session in a thread, so that this one can watch for signals.
Session::End RunSession(Session& session, int signals) {
  const UniqueFd done(eventfd(0, EFD_CLOEXEC));
  if (!done) {
    throw std::system_error(errno, std::generic_category(), "eventfd");
  }
  Session::End end = Session::End::kClientLeft;
  std::thread thread([&] {
    end = session.Run();
    eventfd_write(done.get(), 1);
  });
  if (!WaitUnlessSignalled(done.get(), signals)) {
    session.Stop();
  }
  thread.join();
  return end;
}

std::ofstream OpenReport(const std::string& path) {
  std::ofstream file(path);
  if (!file) {
    throw std::system_error(errno, std::generic_category(), path);
  }
  return file;
}

}  // namespace

bool Serve(const ServerOptions& options) {
  const UniqueFd signals = SignalFd();
  std::ofstream report_file;
  if (!options.report.empty()) {
    report_file = ForOption("--report", [&] { return OpenReport(options.report); });
  }
  std::ostream& report = options.report.empty() ? std::cerr : report_file;
  VfioHost host;
  Device device({options.chip, options.vram_bytes, options.vbios}, host);
  std::optional<TraceLog> trace;
  if (!options.trace.empty()) {
    ForOption("--trace", [&] { trace.emplace(options.trace, device); });
  }
  Director director(device);
  Listener listener = ForOption("--socket", [&] { return Listener(options.socket); });
  std::optional<LineServer> director_server;
  if (!options.director.empty()) {
    ForOption("--director", [&] {
      director_server.emplace(options.director,
                              [&](std::string_view line) { return director.Answer(line); });
    });
  }
  EngineThread engine(device);
  SayReady(options.ready_fd);

  report << "vgpu " << options.name << " " << options.chip->name << " vram " << options.vram_bytes
         << "\n";
  bool well = true;
  if (WaitUnlessSignalled(listener.fd(), signals.get())) {
    UniqueFd client(accept4(listener.fd(), nullptr, nullptr, SOCK_CLOEXEC));
    listener.Close();
    Session session(std::move(client), *options.chip, device, host, engine.access_first(),
                    trace ? &*trace : nullptr);
    well = RunSession(session, signals.get()) == Session::End::kClientLeft;
    if (!well) {
      std::cerr << "vgpu " << options.name
                << ": the client broke the protocol: " << session.problem() << "\n";
    }
    // The session's end takes the guest's memory away, which the engines might still count as
    // errors.
    session.Report(report);
    device.Report(report);
  } else {
    device.Report(report);
  }
  report << std::flush;
  return well;
}

}  // namespace kfdcts::vgpu
