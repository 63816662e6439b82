#pragma once

#include <string>

#include "thunk/test/fake/fake_kernel.h"
#include "thunk/test/memory/failing_allocations.h"

namespace kfdcts::thunk {

/// While it lives, this thread has memory enough.
struct Inside {
  Inside() { ++failing_allocations.sheltered; }
  ~Inside() { --failing_allocations.sheltered; }
};

/// A fake kernel that has memory enough.
class RichKernel : public FakeKernel {
 public:
  int Close(int fd) override {
    const Inside inside;
    return FakeKernel::Close(fd);
  }
  int Ioctl(int fd, unsigned long request, void* argument) override {
    const Inside inside;
    return FakeKernel::Ioctl(fd, request, argument);
  }
  int Mmap(void* address, std::size_t size, int protection, int flags, int fd, off_t offset,
           void** mapped) override {
    const Inside inside;
    return FakeKernel::Mmap(address, size, protection, flags, fd, offset, mapped);
  }
  int Munmap(void* address, std::size_t size) override {
    const Inside inside;
    return FakeKernel::Munmap(address, size);
  }
  int PidfdOpen(pid_t process) override {
    const Inside inside;
    return FakeKernel::PidfdOpen(process);
  }
  int PidfdGetfd(int pidfd, int fd) override {
    const Inside inside;
    return FakeKernel::PidfdGetfd(pidfd, fd);
  }
  int ReadFile(const std::string& path, std::string& content) override {
    const Inside inside;
    return FakeKernel::ReadFile(path, content);
  }
};

}  // namespace kfdcts::thunk
