#pragma once

#include <cerrno>
#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "thunk/src/kernel/system_calls.h"

namespace kfdcts::thunk::test {

/// Files in memory, behind the thunk's system calls. Folders are where files are. Every call that
/// is not about reading files fails with -ENOSYS.
class FileTree : public SystemCalls {
 public:
  /// By path; a new path makes a new file.
  std::string& operator[](const std::string& path) { return files_[path]; }
  /// Reading it fails with -error, as a file of sysfs can.
  void Refuse(const std::string& path, int error) { refused_[path] = error; }
  void Remove(const std::string& path) { files_.erase(path); }
  /// Called after each file that was read.
  void AfterRead(std::function<void(const std::string&)> hook) { after_read_ = std::move(hook); }

  /// How often each file was read.
  const std::map<std::string, int>& reads() const { return reads_; }

  int ReadFile(const std::string& path, std::string& content) override;
  int ListFolder(const std::string& path, std::vector<std::string>& names) override;

  int Open(const char*, int) override { return -ENOSYS; }
  int Close(int) override { return -ENOSYS; }
  int Ioctl(int, unsigned long, void*) override { return -ENOSYS; }
  int Mmap(void*, std::size_t, int, int, int, off_t, void**) override { return -ENOSYS; }
  int Munmap(void*, std::size_t) override { return -ENOSYS; }
  int Madvise(void*, std::size_t, int) override { return -ENOSYS; }
  int Mbind(void*, std::size_t, int, std::span<const unsigned long>) override { return -ENOSYS; }
  int PidfdOpen(pid_t) override { return -ENOSYS; }
  int PidfdGetfd(int, int) override { return -ENOSYS; }
  int AllowTracers() override { return -ENOSYS; }
  int OpenDrmDevice(int, DrmDevice&) override { return -ENOSYS; }
  void CloseDrmDevice(DrmDevice&) override {}

 private:
  std::map<std::string, std::string> files_;
  std::map<std::string, int> refused_;
  std::map<std::string, int> reads_;
  std::function<void(const std::string&)> after_read_;
};

}  // namespace kfdcts::thunk::test
