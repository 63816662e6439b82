#pragma once

#include <mutex>
#include <optional>
#include <thread>

#include "harness/vgpu/boot/vbios.h"
#include "harness/vgpu/core/device.h"
#include "harness/vgpu/test/transport/vfio_client.h"
#include "harness/vgpu/transport/engine_thread.h"
#include "harness/vgpu/transport/session.h"
#include "harness/vgpu/transport/vfio_host.h"

namespace kfdcts::vgpu {

/// A device with its engines running, and a session that serves it over a socket pair, in this
/// process.
class ServedDevice {
 public:
  explicit ServedDevice(std::uint64_t vram_bytes = 16 << 20)
      : device({&kVega10, vram_bytes, boot::MakeVbios(boot::kVega10Board)}, host), engine(device) {}
  ~ServedDevice() { Disconnect(); }

  /// A fresh connection, the former one ended.
  VfioClient& Connect();
  /// Closes the client's end and waits for the session to end.
  Session::End Disconnect();
  /// Waits for a session that ends by itself.
  Session::End WaitForEnd();

  VfioHost host;
  Device device;
  EngineThread engine;
  std::optional<VfioClient> client;

 private:
  std::optional<Session> session_;
  Session::End end_ = Session::End::kClientLeft;
  std::thread thread_;
};

}  // namespace kfdcts::vgpu
