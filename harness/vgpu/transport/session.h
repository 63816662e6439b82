#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <ostream>
#include <string>
#include <vector>

#include "harness/vgpu/core/device.h"
#include "harness/vgpu/transport/message_socket.h"
#include "harness/vgpu/transport/pci_config.h"
#include "harness/vgpu/transport/regions.h"
#include "harness/vgpu/transport/vfio_host.h"

namespace kfdcts::vgpu {

/// One client's connection from its first message to its end. Answers every message; a wrong one
/// with an error and no effect. Run belongs to one thread; Stop may come from any.
class Session {
 public:
  enum class End {
    kClientLeft,  ///< Or Stop was called.
    kProtocol,    ///< The client broke the framing; `problem()` says how.
  };

  /// Everything outlives the session; see Regions for `access_first` and `trace`.
  Session(UniqueFd socket, const Chip& chip, Device& device, VfioHost& host,
          std::mutex& access_first, TraceLog* trace = nullptr);
  /// Takes the client's memory and interrupt away from the device.
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  End Run();
  void Stop() { socket_.Shutdown(); }

  const std::string& problem() const { return problem_; }

  /// Messages, refused messages, accesses by region, interrupts: one a line.
  void Report(std::ostream& out) const;

 private:
  struct Reply {
    std::vector<std::byte> payload;
    int fd = -1;  // not owned
  };
  /// Fills the reply's payload; 0 or the errno value to answer with.
  using Handler = int (Session::*)(Message& message, Reply& reply);
  struct Entry {
    Handler handler;
    std::size_t min_payload;
    bool takes_fds;
  };

  static const Entry* Find(std::uint16_t command);
  int Handle(Message& message, Reply& reply);
  bool Answer(const Message& message, int error, const Reply& reply);

  int OnVersion(Message& message, Reply& reply);
  int OnDmaMap(Message& message, Reply& reply);
  int OnDmaUnmap(Message& message, Reply& reply);
  int OnDeviceGetInfo(Message& message, Reply& reply);
  int OnDeviceGetRegionInfo(Message& message, Reply& reply);
  int OnDeviceGetIrqInfo(Message& message, Reply& reply);
  int OnDeviceSetIrqs(Message& message, Reply& reply);
  int OnRegionRead(Message& message, Reply& reply);
  int OnRegionWrite(Message& message, Reply& reply);
  int OnRegionWriteMulti(Message& message, Reply& reply);
  int OnDeviceReset(Message& message, Reply& reply);

  MessageSocket socket_;
  Device& device_;
  VfioHost& host_;
  PciConfig config_;
  Regions regions_;
  TraceLog* trace_;
  bool negotiated_ = false;
  std::string problem_;
  std::uint64_t messages_ = 0, refused_ = 0;
};

}  // namespace kfdcts::vgpu
