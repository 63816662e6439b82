#include "harness/vgpu/core/register_file.h"

#include <cstdio>
#include <utility>

namespace kfdcts::vgpu {
namespace {

// MM_DATA may reach PCIE_DATA and that one MM_DATA again; no driver nests deeper than this.
constexpr unsigned kMaxDepth = 4;

// An SMN address is a guest's choice: more of them than any driver uses are not kept.
constexpr std::size_t kMaxSmnRegisters = 65536;

std::string Expand(const char* pattern, std::uint32_t index) {
  std::string name = pattern;
  const auto place = name.find("%u");
  if (place != std::string::npos) name.replace(place, 2, std::to_string(index));
  return name;
}

}  // namespace

RegisterFile::RegisterFile(Diagnostics& diagnostics)
    : diagnostics_(diagnostics),
      values_(kMmioBytes / 4),
      read_hook_of_(kMmioBytes / 4),
      write_hook_of_(kMmioBytes / 4),
      read_hooks_(1),
      write_hooks_(1) {}

std::uint32_t RegisterFile::Read(std::uint32_t offset) {
  offset &= ~3U;
  CountUnknown(offset, "read");
  std::uint32_t value = 0;
  if (offset < kMmioBytes) {
    const auto hook = read_hook_of_[offset / 4];
    ++depth_;
    value = hook != 0 && depth_ <= kMaxDepth ? read_hooks_[hook](offset) : values_[offset / 4];
    --depth_;
  }
  Log({'R', offset, value});
  return value;
}

void RegisterFile::Write(std::uint32_t offset, std::uint32_t value) {
  offset &= ~3U;
  CountUnknown(offset, "write");
  Log({'W', offset, value});
  if (offset >= kMmioBytes) return;
  const auto hook = write_hook_of_[offset / 4];
  ++depth_;
  if (hook == 0) {
    values_[offset / 4] = value;
  } else if (depth_ <= kMaxDepth) {
    write_hooks_[hook](offset, value);
  }
  --depth_;
}

std::uint32_t RegisterFile::Get(std::uint32_t offset) const {
  return offset < kMmioBytes ? values_[offset / 4] : 0;
}

void RegisterFile::Set(std::uint32_t offset, std::uint32_t value) {
  if (offset < kMmioBytes) values_[offset / 4] = value;
}

std::uint64_t RegisterFile::Get64(std::uint32_t low_offset) const {
  return Get(low_offset) | std::uint64_t{Get(low_offset + 4)} << 32;
}

void RegisterFile::OnRead(std::uint32_t first, std::uint32_t count, ReadHook hook,
                          std::uint32_t stride) {
  read_hooks_.push_back(std::move(hook));
  for (std::uint32_t i = 0; i < count; ++i) {
    read_hook_of_.at((first + i * stride) / 4) = static_cast<std::uint16_t>(read_hooks_.size() - 1);
  }
}

void RegisterFile::OnWrite(std::uint32_t first, std::uint32_t count, WriteHook hook,
                           std::uint32_t stride) {
  write_hooks_.push_back(std::move(hook));
  for (std::uint32_t i = 0; i < count; ++i) {
    write_hook_of_.at((first + i * stride) / 4) =
        static_cast<std::uint16_t>(write_hooks_.size() - 1);
  }
}

void RegisterFile::SetName(std::uint32_t offset, std::string name) {
  names_.insert_or_assign(offset & ~3U, std::move(name));
}

void RegisterFile::SetNames(std::span<const RegisterName> names) {
  for (const auto& row : names) {
    for (std::uint32_t i = 0; i < row.count; ++i) {
      SetName(row.offset + i * row.stride, Expand(row.name, row.first_index + i));
    }
  }
}

const char* RegisterFile::Name(std::uint32_t offset) const {
  const auto found = names_.find(offset & ~3U);
  return found == names_.end() ? nullptr : found->second.c_str();
}

std::uint32_t RegisterFile::GetSmn(std::uint32_t address) const {
  const auto found = smn_.find(address);
  return found == smn_.end() ? 0 : found->second;
}

void RegisterFile::SetSmn(std::uint32_t address, std::uint32_t value) {
  if (const auto found = smn_.find(address); found != smn_.end()) {
    found->second = value;
  } else if (smn_.size() < kMaxSmnRegisters) {
    smn_.emplace(address, value);
  }
}

void RegisterFile::Clear() {
  values_.assign(values_.size(), 0);
  smn_.clear();
}

void RegisterFile::CountUnknown(std::uint32_t offset, const char* direction) {
  if (names_.contains(offset)) return;
  char subject[32];
  std::snprintf(subject, sizeof subject, "reg 0x%05x %s", offset, direction);
  diagnostics_.Count(Diagnostics::Kind::kUnknownRegister, subject);
}

void RegisterFile::Trace(std::ostream* log) {
  EndFold();
  log_ = log;
  last_line_ = {};
}

void RegisterFile::Log(TraceLine line) {
  if (log_ == nullptr) return;
  if (line == last_line_) {
    ++folded_;
    return;
  }
  EndFold();
  last_line_ = line;
  const char* name = Name(line.offset);
  char text[128];
  std::snprintf(text, sizeof text, "%c %05x %s = %08x\n", line.direction, line.offset,
                name != nullptr ? name : "?", line.value);
  *log_ << text;
}

void RegisterFile::EndFold() {
  if (log_ != nullptr && folded_ != 0) *log_ << "  and " << folded_ << " more of it\n";
  folded_ = 0;
}

}  // namespace kfdcts::vgpu
