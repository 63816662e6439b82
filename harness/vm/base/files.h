#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "harness/vm/base/unique_fd.h"

namespace kfdcts::vm {

/// The whole file. Throws std::system_error that names it.
std::string ReadFile(const std::filesystem::path& file);

/// Creates or replaces the file. Throws std::system_error that names it.
void WriteFile(const std::filesystem::path& file, std::string_view content, mode_t mode = 0644);

/// Writes all of `bytes`, however many calls it takes. Throws std::system_error.
void WriteAll(int fd, std::string_view bytes, const std::string& name);

FdPair MakePipe();
FdPair MakeSocketPair();

/// The folder that holds the running program's file, as /proc/self/exe says.
std::filesystem::path ProgramFolder();

/// share/kfdcts beside the program's folder: fixtures, firmware and the guest's first program.
std::filesystem::path ShareFolder();

/// $KFDCTS_CACHE, else $XDG_CACHE_HOME/kfdcts, else ~/.cache/kfdcts. Made if missing; throws
/// RunError where that fails.
std::filesystem::path CacheFolder();

/// An advisory lock that ends with the object (or the process).
class FileLock {
 public:
  /// Opens (and makes) `file` and takes the lock if it is free; false from held() otherwise.
  explicit FileLock(const std::filesystem::path& file);

  bool held() const { return held_; }

  /// Waits for the lock. Polls `cancel_fd` (may be -1) meanwhile and throws Cancelled.
  void Wait(int cancel_fd);

 private:
  UniqueFd fd_;
  bool held_ = false;
};

/// A folder of this process for sockets and the like: short path, mode 0700, removed with the
/// object. Making one also removes folders that killed processes left.
class TemporaryFolder {
 public:
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  const std::filesystem::path& path() const { return path_; }

  /// Where such folders are made, and what their names begin with.
  static std::filesystem::path Parent();
  static constexpr const char* kPrefix = "kfdvm-";

 private:
  std::filesystem::path path_;
  UniqueFd lock_;
};

}  // namespace kfdcts::vm
