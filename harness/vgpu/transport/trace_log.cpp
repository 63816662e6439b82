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
    case VFIO_PCI_BAR5_REGION_INDEX:
      return "register";
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

const char* RegisterNameAt(const Chip& chip, std::uint64_t offset) {
  const auto found =
      std::lower_bound(chip.names.begin(), chip.names.end(), offset & ~std::uint64_t{3},
                       [](const RegisterName& name, std::uint64_t at) { return name.offset < at; });
  return found != chip.names.end() && found->offset == (offset & ~std::uint64_t{3}) ? found->name
                                                                                    : "?";
}

}  // namespace

TraceLog::TraceLog(const std::string& path, const Chip& chip) : file_(path), chip_(chip) {
  if (!file_) {
    throw std::runtime_error("cannot write " + path);
  }
}

TraceLog::~TraceLog() { FlushRepeats(); }

void TraceLog::FlushRepeats() {
  if (repeats_ > 0) {
    file_ << "           … " << repeats_ << " times more\n";
    repeats_ = 0;
  }
}

void TraceLog::Stamp() {
  char stamp[32];
  const std::chrono::duration<double> since = std::chrono::steady_clock::now() - start_;
  std::snprintf(stamp, sizeof(stamp), "%10.6f ", since.count());
  file_ << stamp;
}

void TraceLog::Access(char direction, std::uint32_t region, std::uint64_t offset,
                      std::span<const std::byte> data) {
  char head[96];
  std::snprintf(head, sizeof(head), "%c %s %05llx ", direction, RegionName(region),
                static_cast<unsigned long long>(offset));
  std::string line = head + Number(data);
  if (region == VFIO_PCI_BAR5_REGION_INDEX) {
    line += std::string(" ") + RegisterNameAt(chip_, offset);
  }
  if (line == last_) {
    ++repeats_;
    return;
  }
  FlushRepeats();
  Stamp();
  file_ << line << '\n';
  last_ = std::move(line);
}

void TraceLog::Note(const std::string& text) {
  FlushRepeats();
  last_.clear();
  Stamp();
  file_ << text << std::endl;
}

}  // namespace kfdcts::vgpu
