#pragma once

#include <string>

#include "harness/vgpu/transport/unique_fd.h"

namespace kfdcts::vgpu {

/// A listening Unix stream socket, reachable by its owner only; its file goes when the listener
/// does.
class Listener {
 public:
  /// Throws std::system_error, with the path in its text, where `path` is too long, exists or
  /// cannot be made.
  explicit Listener(const std::string& path);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  int fd() const { return socket_.get(); }

  /// Takes no further connections; the file goes too.
  void Close();

 private:
  std::string path_;
  UniqueFd socket_;
};

}  // namespace kfdcts::vgpu
