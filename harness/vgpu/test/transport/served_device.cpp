#include "harness/vgpu/test/transport/served_device.h"

#include <sys/socket.h>

#include <array>
#include <stdexcept>

namespace kfdcts::vgpu {

VfioClient& ServedDevice::Connect() {
  Disconnect();
  std::array<int, 2> fds = {};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds.data()) != 0) {
    throw std::runtime_error("socketpair");
  }
  client.emplace(UniqueFd(fds[0]));
  session_.emplace(UniqueFd(fds[1]), kVega10, device, host, engine.access_first());
  thread_ = std::thread([this] { end_ = session_->Run(); });
  return *client;
}

Session::End ServedDevice::Disconnect() {
  client.reset();
  return WaitForEnd();
}

Session::End ServedDevice::WaitForEnd() {
  if (thread_.joinable()) {
    thread_.join();
  }
  session_.reset();
  return end_;
}

}  // namespace kfdcts::vgpu
