#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

namespace kfdcts::vm {

/// Writes an archive of the kind that the kernel unpacks as its first root file system ("newc", see
/// the kernel's Documentation/driver-api/early-userspace/buffer-format.rst). Everything belongs to
/// root, times are 0: the same content gives the same bytes. Paths are relative, without a leading
/// '/'.
class CpioWriter {
 public:
  /// Makes the folder and those above it, once.
  void Folder(const std::string& path);
  void File(const std::string& path, std::string_view content, std::uint32_t permissions = 0644);
  void Link(const std::string& path, std::string_view target);
  void CharacterDevice(const std::string& path, std::uint32_t major, std::uint32_t minor);

  /// The archive with its trailer. The writer is empty then.
  std::string Finish();

 private:
  struct Device {
    std::uint32_t major;
    std::uint32_t minor;
  };

  void Parents(const std::string& path);
  void Entry(const std::string& path, std::uint32_t mode, std::string_view content,
             Device device = {0, 0});

  std::string bytes_;
  std::set<std::string> folders_;
  std::uint32_t next_inode_ = 1;
};

}  // namespace kfdcts::vm
