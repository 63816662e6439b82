#pragma once

#include <functional>
#include <list>
#include <string>
#include <string_view>
#include <thread>

#include "harness/vgpu/transport/listener.h"
#include "harness/vgpu/transport/unique_fd.h"

namespace kfdcts::vgpu {

/// Answers lines on a Unix socket, for any number of clients that come and go, in a thread of its
/// own. A client that sends a line without end, or does not take its answers, is dropped; empty
/// lines are skipped, so that a client may begin with one to end what a predecessor left half said.
class LineServer {
 public:
  static constexpr std::size_t kMaxLineBytes = 64 * 1024;
  static constexpr std::size_t kMaxUnsentBytes = 4 * 1024 * 1024;
  static constexpr std::size_t kMaxClients = 16;

  /// Makes a line's answer; both without newline. Called in the server's thread.
  using Handler = std::function<std::string(std::string_view line)>;

  /// Throws std::system_error where `path` cannot be listened on.
  LineServer(const std::string& path, Handler handler);
  ~LineServer();
  LineServer(const LineServer&) = delete;
  LineServer& operator=(const LineServer&) = delete;

 private:
  struct Client {
    UniqueFd socket;
    std::string received;
    std::string unsent;
  };

  void Run();
  void Accept();
  /// Both false where the client is to be dropped.
  bool Receive(Client& client);
  bool Send(Client& client);

  Listener listener_;
  UniqueFd stop_;
  Handler handler_;
  std::list<Client> clients_;
  std::thread thread_;
};

}  // namespace kfdcts::vgpu
