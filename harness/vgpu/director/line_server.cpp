#include "harness/vgpu/director/line_server.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <cerrno>
#include <system_error>
#include <utility>
#include <vector>

namespace kfdcts::vgpu {

LineServer::LineServer(const std::string& path, Handler handler)
    : listener_(path), stop_(eventfd(0, EFD_CLOEXEC)), handler_(std::move(handler)) {
  if (!stop_) {
    throw std::system_error(errno, std::generic_category(), "eventfd");
  }
  thread_ = std::thread([this] { Run(); });
}

LineServer::~LineServer() {
  eventfd_write(stop_.get(), 1);
  thread_.join();
}

void LineServer::Run() {
  std::vector<pollfd> polled;
  while (true) {
    polled.clear();
    polled.push_back({stop_.get(), POLLIN, 0});
    // With the most clients there are, further ones wait in the listener's queue.
    const bool accepting = clients_.size() < kMaxClients;
    polled.push_back({accepting ? listener_.fd() : -1, POLLIN, 0});
    for (const Client& client : clients_) {
      const int events = client.unsent.empty() ? POLLIN : POLLIN | POLLOUT;
      polled.push_back({client.socket.get(), static_cast<short>(events), 0});
    }
    if (poll(polled.data(), polled.size(), -1) < 0) {
      continue;  // EINTR
    }
    if (polled[0].revents != 0) {
      return;
    }
    auto client = clients_.begin();
    for (std::size_t i = 2; i < polled.size(); ++i) {
      const short events = polled[i].revents;
      const bool keep = (events == 0 || (events & POLLIN) == 0 || Receive(*client)) &&
                        ((events & (POLLERR | POLLNVAL)) == 0) &&
                        ((events & POLLHUP) == 0 || (events & POLLIN) != 0) && Send(*client);
      client = keep ? std::next(client) : clients_.erase(client);
    }
    if (polled[1].revents != 0) {
      Accept();
    }
  }
}

void LineServer::Accept() {
  UniqueFd socket(accept4(listener_.fd(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (socket) {
    clients_.push_back({std::move(socket), {}, {}});
  }
}

bool LineServer::Receive(Client& client) {
  char buffer[4096];
  const ssize_t got = recv(client.socket.get(), buffer, sizeof(buffer), 0);
  if (got < 0) {
    return errno == EAGAIN || errno == EINTR;
  }
  if (got == 0) {
    return false;
  }
  client.received.append(buffer, static_cast<std::size_t>(got));
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = client.received.find('\n', begin)) != std::string::npos;
       begin = end + 1) {
    const std::string_view line = std::string_view(client.received).substr(begin, end - begin);
    if (!line.empty() && line != "\r") {
      client.unsent += handler_(line) + '\n';
    }
  }
  client.received.erase(0, begin);
  return client.received.size() <= kMaxLineBytes && client.unsent.size() <= kMaxUnsentBytes;
}

bool LineServer::Send(Client& client) {
  while (!client.unsent.empty()) {
    const ssize_t sent =
        send(client.socket.get(), client.unsent.data(), client.unsent.size(), MSG_NOSIGNAL);
    if (sent < 0) {
      return errno == EAGAIN || errno == EINTR;
    }
    client.unsent.erase(0, static_cast<std::size_t>(sent));
  }
  return true;
}

}  // namespace kfdcts::vgpu
