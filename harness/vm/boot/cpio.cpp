#include "harness/vm/boot/cpio.h"

#include <sys/stat.h>

#include <array>
#include <cstdio>
#include <limits>
#include <stdexcept>
#include <utility>

namespace kfdcts::vm {
namespace {

constexpr std::size_t kAlignment = 4;

void Pad(std::string& bytes, std::size_t alignment) {
  bytes.resize((bytes.size() + alignment - 1) / alignment * alignment, '\0');
}

}  // namespace

void CpioWriter::Entry(const std::string& path, std::uint32_t mode, std::string_view content,
                       Device device) {
  if (content.size() > std::numeric_limits<std::uint32_t>::max()) {
    throw std::length_error(path + " is too big for a cpio archive");
  }
  // Magic, inode, mode, uid, gid, links, mtime, size, device of the file (2), device it is (2),
  // length of the name with its zero, checksum (unused).
  std::array<char, 111> header;
  std::snprintf(header.data(), header.size(),
                "070701%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x", next_inode_++, mode,
                0U, 0U, 1U, 0U, static_cast<unsigned>(content.size()), 0U, 0U, device.major,
                device.minor, static_cast<unsigned>(path.size() + 1), 0U);
  bytes_.append(header.data(), header.size() - 1);
  bytes_.append(path.c_str(), path.size() + 1);
  Pad(bytes_, kAlignment);
  bytes_.append(content);
  Pad(bytes_, kAlignment);
}

void CpioWriter::Parents(const std::string& path) {
  const auto slash = path.rfind('/');
  if (slash != std::string::npos) {
    Folder(path.substr(0, slash));
  }
}

void CpioWriter::Folder(const std::string& path) {
  if (folders_.contains(path)) {
    return;
  }
  Parents(path);
  folders_.insert(path);
  Entry(path, S_IFDIR | 0755, {});
}

void CpioWriter::File(const std::string& path, std::string_view content,
                      std::uint32_t permissions) {
  Parents(path);
  Entry(path, S_IFREG | permissions, content);
}

void CpioWriter::Link(const std::string& path, std::string_view target) {
  Parents(path);
  Entry(path, S_IFLNK | 0777, target);
}

void CpioWriter::CharacterDevice(const std::string& path, std::uint32_t major,
                                 std::uint32_t minor) {
  Parents(path);
  Entry(path, S_IFCHR | 0600, {}, {major, minor});
}

std::string CpioWriter::Finish() {
  Entry("TRAILER!!!", 0, {});
  Pad(bytes_, 512);
  folders_.clear();
  next_inode_ = 1;
  return std::exchange(bytes_, {});
}

}  // namespace kfdcts::vm
