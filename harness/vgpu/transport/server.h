#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/vgpu/asic/chip.h"

namespace kfdcts::vgpu {

struct ServerOptions {
  const Chip* chip = nullptr;
  std::uint64_t vram_bytes = 0;
  std::vector<std::byte> vbios;  ///< A power of two of bytes.
  std::string name;              ///< For the report and messages.
  std::string socket;            ///< Path to listen on for the vfio-user client.
  std::string director;  ///< Path to listen on for the director's clients; empty: no director.
  std::string report;    ///< File for the report; empty: standard error.
  std::string trace;     ///< File for the trace (see TraceLog); empty: none.
  int ready_fd =
      -1;  ///< Gets "ready\n" and is closed once the sockets listen; -1: standard output.
};

/// An argument that cannot be used: what() is one line that names it and the reason.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Serves one client until it leaves, or until SIGTERM or SIGINT, then writes the report. The
/// caller has no other threads. True where all went well, false where the client broke the
/// protocol. Throws UsageError where a path cannot be used; no socket is left then.
bool Serve(const ServerOptions& options);

}  // namespace kfdcts::vgpu
