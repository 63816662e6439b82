#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "harness/vgpu/core/device.h"

namespace kfdcts::vgpu {

/// The director's protocol: one JSON object a line in, one a line out.
///
///   {"do": "hold-engine", "engine": "sdma0"}        ->  {"ok": true}
///   {"do": "hang-queue", "doorbell": 4096, "id": 7} ->  {"id": 7, "ok": true}
///   {"do": "counters"}                              ->  {"counters": {…}, "ok": true}
///   {"do": "queues"}                                ->  {"ok": true, "queues": [{"base": …}, …]}
///   {"do": "report"}                                ->  {"ok": true, "report": "…"}
///   {"do": "frob"} -> {"error": "unknown command \"frob\"", "ok": false}
///
/// complaints gives the sanitizer's findings, and with "clear": true forgets them, with "release":
/// true first does what release-all does:
///   {"ok": true, "beyond": 0, "findings": [{"kind": "stale-translation", "count": 3, "vmid": 8,
///    "pasid": 32769, "address": 139…, "engine": "sdma0.rlc0", "detail": "…"}]}
/// held gives the interrupts and the retry faults that are kept back.
///
/// `do` is one of ping, counters, queues, report, complaints, held, and the names of
/// ControlCommand::Verb in small letters with dashes. A key that the command does not take is an
/// error, so that a misspelt one is not silently ignored. `id`, a number or a string, comes back
/// with the answer.
class Director {
 public:
  explicit Director(Device& device) : device_(device) {}

  /// The answer to one line (without its newline), without a newline. Thread-safe as the device is.
  std::string Answer(std::string_view line);

 private:
  nlohmann::json Execute(const nlohmann::json& request);

  Device& device_;
};

}  // namespace kfdcts::vgpu
