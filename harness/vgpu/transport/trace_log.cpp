#include "harness/vgpu/transport/trace_log.h"

#include <linux/vfio.h>

#include <algorithm>
#include <cstdio>
#include <stdexcept>

namespace kfdcts::vgpu {
namespace {

constexpr std::size_t kShownBytes = 16;

const char* RegionName(std::uint32_t region) {
  switch (region) {
    case VFIO_PCI_BAR0_REGION_INDEX:
      return "vram";
    case VFIO_PCI_BAR2_REGION_INDEX:
      return "doorbell";
    case VFIO_PCI_ROM_REGION_INDEX:
      return "rom";
    default:
      return "config";
  }
}

/// Little-endian bytes as one number, the most significant digit first.
std::string Number(std::span<const std::byte> data) {
  std::string text;
  const std::size_t shown = std::min(data.size(), kShownBytes);
  for (std::size_t i = shown; i-- > 0;) {
    char digits[3];
    std::snprintf(digits, sizeof(digits), "%02x", std::to_integer<unsigned>(data[i]));
    text += digits;
  }
  return data.size() > shown ? "…" + text : text;
}

}  // namespace

TraceLog::TraceLog(const std::string& path, Device& device) : file_(path), device_(device) {
  if (!file_) {
    throw std::runtime_error("cannot write " + path);
  }
  device_.TraceRegisters(&file_);
}

TraceLog::~TraceLog() { device_.TraceRegisters(nullptr); }

void TraceLog::Line(const std::string& text) {
  char stamp[32];
  const std::chrono::duration<double> since = std::chrono::steady_clock::now() - start_;
  std::snprintf(stamp, sizeof(stamp), "%10.6f ", since.count());
  // The device writes its lines to the same file under its lock.
  device_.Locked([&] { file_ << stamp << text << '\n'; });
}

void TraceLog::Access(char direction, std::uint32_t region, std::uint64_t offset,
                      std::span<const std::byte> data) {
  if (region == VFIO_PCI_BAR5_REGION_INDEX) {
    return;
  }
  char head[96];
  std::snprintf(head, sizeof(head), "%c %s %05llx ", direction, RegionName(region),
                static_cast<unsigned long long>(offset));
  Line(head + Number(data));
}

void TraceLog::Note(const std::string& text) { Line(text); }

}  // namespace kfdcts::vgpu
