#include "harness/vgpu/transport/listener.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>
#include <system_error>

namespace kfdcts::vgpu {

Listener::Listener(const std::string& path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) {
    throw std::system_error(ENAMETOOLONG, std::generic_category(), path);
  }
  std::memcpy(address.sun_path, path.data(), path.size());

  socket_ = UniqueFd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  // The socket's mode becomes its file's when it is bound.
  if (!socket_ || fchmod(socket_.get(), S_IRUSR | S_IWUSR) != 0 ||
      bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    throw std::system_error(errno, std::generic_category(), path);
  }
  path_ = path;
  if (listen(socket_.get(), 4) != 0) {
    const int error = errno;
    Close();
    throw std::system_error(error, std::generic_category(), path);
  }
}

Listener::~Listener() { Close(); }

void Listener::Close() {
  if (socket_) {
    unlink(path_.c_str());
    socket_.Reset();
  }
}

}  // namespace kfdcts::vgpu
