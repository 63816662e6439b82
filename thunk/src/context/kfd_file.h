#pragma once

#include "thunk/src/kernel/system_calls.h"

namespace kfdcts::thunk {

/// An open /dev/kfd; closes it in the end. Shared by a context and the waits that outlive it.
class KfdFile {
 public:
  KfdFile(SystemCalls& calls, int fd) : calls_(calls), fd_(fd) {}
  ~KfdFile() { calls_.Close(fd_); }
  KfdFile(const KfdFile&) = delete;
  KfdFile& operator=(const KfdFile&) = delete;

  int fd() const { return fd_; }

 private:
  SystemCalls& calls_;
  int fd_;
};

}  // namespace kfdcts::thunk
