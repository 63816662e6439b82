// The libc entry points through which both libraries and libdrm reach the kernel. Those of this
// program win over libc's for every library that it loads. With no StubKernel they only pass on.
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>

#include "thunk/bench/stub/stub_kernel.h"

using kfdcts::bench::StubKernel;

namespace {

constexpr unsigned kDrmMajor = 226;

/// A result of the fake kernel's as libc gives it.
int Answer(int result) {
  if (result >= 0) return result;
  errno = -result;
  return -1;
}

template <class Function>
Function* Next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

StubKernel* OwnerOf(int fd) {
  StubKernel* stub = fd >= 0 ? StubKernel::Active() : nullptr;
  return stub && stub->kernel().Owns(fd) ? stub : nullptr;
}

std::string Place(const char* path) {
  const StubKernel* stub = StubKernel::Active();
  return stub ? stub->Redirect(path) : path;
}

int OpenFile(int folder, const char* path, int flags, mode_t mode) {
  StubKernel* stub = StubKernel::Active();
  if (stub && StubKernel::IsDevice(path)) return Answer(stub->kernel().Open(path, flags));
  return static_cast<int>(syscall(SYS_openat, folder, Place(path).c_str(), flags, mode));
}

/// The mode argument is there only where a file may be made.
mode_t ModeOf(int flags, va_list arguments) {
  const bool makes = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
  return makes ? static_cast<mode_t>(va_arg(arguments, unsigned)) : 0;
}

void* MapFile(void* address, size_t size, int protection, int flags, int fd, off_t offset) {
  if (StubKernel* stub = OwnerOf(fd)) {
    void* mapped = MAP_FAILED;
    Answer(stub->kernel().Mmap(address, size, protection, flags, fd, offset, &mapped));
    return mapped;
  }
  StubKernel* stub = address || fd >= 0 ? nullptr : StubKernel::Active();
  if (void* reserved = stub ? stub->Reserve(size, protection, flags) : nullptr) return reserved;
  return reinterpret_cast<void*>(syscall(SYS_mmap, address, size, protection, flags, fd, offset));
}

/// A render node looks like a character device with the fake GPU's number.
template <class Stat>
int StatFile(const char* name, int fd, Stat* out) {
  StubKernel* stub = OwnerOf(fd);
  const int minor = stub ? stub->kernel().RenderMinor(fd) : -1;
  const int result = Next<int(int, Stat*)>(name)(fd, out);
  if (result == 0 && minor >= 0) {
    out->st_mode = S_IFCHR | 0660;
    out->st_rdev = makedev(kDrmMajor, static_cast<unsigned>(minor));
  }
  return result;
}

int ControlFile(int fd, int command, void* argument) {
  StubKernel* stub = OwnerOf(fd);
  if (stub && command == F_DUPFD_CLOEXEC) return Answer(stub->kernel().Dup(fd));
  return static_cast<int>(syscall(SYS_fcntl, fd, command, argument));
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = ModeOf(flags, arguments);
  va_end(arguments);
  return OpenFile(AT_FDCWD, path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = ModeOf(flags, arguments);
  va_end(arguments);
  return OpenFile(AT_FDCWD, path, flags, mode);
}

int openat(int folder, const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = ModeOf(flags, arguments);
  va_end(arguments);
  return OpenFile(folder, path, flags, mode);
}

int close(int fd) {
  if (StubKernel* stub = OwnerOf(fd)) return Answer(stub->kernel().Close(fd));
  return static_cast<int>(syscall(SYS_close, fd));
}

int ioctl(int fd, unsigned long request, ...) noexcept {
  va_list arguments;
  va_start(arguments, request);
  void* argument = va_arg(arguments, void*);
  va_end(arguments);
  // The fake kernel answers EBADF for others' files, whose owner is asked then: one lock less.
  if (StubKernel* stub = StubKernel::Active()) {
    const int result = stub->kernel().Ioctl(fd, request, argument);
    if (result != -EBADF) return Answer(result);
  }
  return static_cast<int>(syscall(SYS_ioctl, fd, request, argument));
}

void* mmap(void* address, size_t size, int protection, int flags, int fd, off_t offset) noexcept {
  return MapFile(address, size, protection, flags, fd, offset);
}

void* mmap64(void* address, size_t size, int protection, int flags, int fd, off_t offset) noexcept {
  return MapFile(address, size, protection, flags, fd, offset);
}

int munmap(void* address, size_t size) noexcept {
  if (const StubKernel* stub = StubKernel::Active(); stub && stub->IsReserved(address)) return 0;
  return static_cast<int>(syscall(SYS_munmap, address, size));
}

// What no child inherits would be a mapping of its own, too.
int madvise(void* address, size_t size, int advice) noexcept {
  if (advice == MADV_DONTFORK && StubKernel::Active()) return 0;
  return static_cast<int>(syscall(SYS_madvise, address, size, advice));
}

int fcntl(int fd, int command, ...) {
  va_list arguments;
  va_start(arguments, command);
  void* argument = va_arg(arguments, void*);
  va_end(arguments);
  return ControlFile(fd, command, argument);
}

int fcntl64(int fd, int command, ...) {
  va_list arguments;
  va_start(arguments, command);
  void* argument = va_arg(arguments, void*);
  va_end(arguments);
  return ControlFile(fd, command, argument);
}

int fstat(int fd, struct stat* out) noexcept { return StatFile("fstat", fd, out); }
int fstat64(int fd, struct stat64* out) noexcept { return StatFile("fstat64", fd, out); }

int stat(const char* path, struct stat* out) noexcept {
  return Next<int(const char*, struct stat*)>("stat")(Place(path).c_str(), out);
}

int stat64(const char* path, struct stat64* out) noexcept {
  return Next<int(const char*, struct stat64*)>("stat64")(Place(path).c_str(), out);
}

FILE* fopen(const char* path, const char* mode) {
  return Next<FILE*(const char*, const char*)>("fopen")(Place(path).c_str(), mode);
}

FILE* fopen64(const char* path, const char* mode) {
  return Next<FILE*(const char*, const char*)>("fopen64")(Place(path).c_str(), mode);
}

DIR* opendir(const char* path) { return Next<DIR*(const char*)>("opendir")(Place(path).c_str()); }

// libhsakmt 5.2.3's performance counters would leave a name in /dev/shm; it goes on without.
sem_t* sem_open(const char*, int, ...) noexcept {
  errno = ENOSYS;
  return SEM_FAILED;
}

int shm_open(const char*, int, mode_t) {
  errno = ENOSYS;
  return -1;
}

}  // extern "C"
