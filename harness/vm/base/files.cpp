#include "harness/vm/base/files.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "harness/vm/base/errors.h"

namespace fs = std::filesystem;

namespace kfdcts::vm {

void ThrowErrno(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

std::string ReadFile(const fs::path& file) {
  UniqueFd fd(open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) {
    ThrowErrno(file.string());
  }
  std::string content;
  char buffer[65536];
  for (;;) {
    const ssize_t got = read(fd.get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      ThrowErrno(file.string());
    }
    if (got == 0) {
      return content;
    }
    content.append(buffer, static_cast<std::size_t>(got));
  }
}

void WriteAll(int fd, std::string_view bytes, const std::string& name) {
  while (!bytes.empty()) {
    const ssize_t put = write(fd, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) {
      continue;
    }
    if (put < 0) {
      ThrowErrno(name);
    }
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
}

void WriteFile(const fs::path& file, std::string_view content, mode_t mode) {
  UniqueFd fd(open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode));
  if (!fd) {
    ThrowErrno(file.string());
  }
  WriteAll(fd.get(), content, file.string());
}

FdPair MakePipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    ThrowErrno("pipe");
  }
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

FdPair MakeSocketPair() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    ThrowErrno("socketpair");
  }
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

fs::path ProgramFolder() { return fs::read_symlink("/proc/self/exe").parent_path(); }

fs::path ShareFolder() { return ProgramFolder().parent_path() / "share" / "kfdcts"; }

namespace {

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

fs::path CacheFolderName() {
  if (const std::string given = Environment("KFDCTS_CACHE"); !given.empty()) {
    return fs::absolute(given);
  }
  const std::string xdg = Environment("XDG_CACHE_HOME");
  if (!xdg.empty() && xdg.front() == '/') {
    return fs::path(xdg) / "kfdcts";
  }
  const std::string home = Environment("HOME");
  if (home.empty()) {
    throw RunError("no cache folder: neither KFDCTS_CACHE nor XDG_CACHE_HOME nor HOME is set");
  }
  return fs::path(home) / ".cache" / "kfdcts";
}

}  // namespace

fs::path CacheFolder() {
  fs::path folder = CacheFolderName();
  std::error_code error;
  fs::create_directories(folder, error);
  if (error || !fs::is_directory(folder)) {
    throw RunError("cache folder " + folder.string() + " cannot be made" +
                   (error ? ": " + error.message() : "") + "; KFDCTS_CACHE names another");
  }
  return folder;
}

FileLock::FileLock(const fs::path& file)
    : fd_(open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
  if (!fd_) {
    ThrowErrno(file.string());
  }
  held_ = flock(fd_.get(), LOCK_EX | LOCK_NB) == 0;
}

void FileLock::Wait(int cancel_fd) {
  while (!held_) {
    // flock has no timed form; a quarter of a second is short against any fetch.
    pollfd cancel{cancel_fd, POLLIN, 0};
    if (poll(&cancel, cancel_fd >= 0 ? 1 : 0, 250) > 0) {
      throw Cancelled();
    }
    held_ = flock(fd_.get(), LOCK_EX | LOCK_NB) == 0;
  }
}

namespace {

/// Removes folders whose owner is gone: nobody holds their lock any more.
void RemoveStaleFolders(const fs::path& parent) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(parent, error)) {
    if (!entry.path().filename().string().starts_with(TemporaryFolder::kPrefix)) {
      continue;
    }
    UniqueFd fd(open(entry.path().c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    struct stat status {};
    if (!fd || fstat(fd.get(), &status) != 0 || status.st_uid != geteuid()) {
      continue;
    }
    if (flock(fd.get(), LOCK_EX | LOCK_NB) == 0) {
      fs::remove_all(entry.path(), error);
    }
  }
}

}  // namespace

fs::path TemporaryFolder::Parent() {
  // Socket addresses hold 107 bytes and kernel parameters no blanks; anything else than a short
  // plain TMPDIR is not taken.
  const std::string given = Environment("TMPDIR");
  const bool plain = given.find_first_of(" \"'\\") == std::string::npos;
  if (!given.empty() && given.front() == '/' && given.size() < 48 && plain &&
      access(given.c_str(), W_OK) == 0) {
    return given;
  }
  return "/tmp";
}

TemporaryFolder::TemporaryFolder() {
  const fs::path parent = Parent();
  RemoveStaleFolders(parent);
  for (;;) {
    std::string name = (parent / (std::string(kPrefix) + "XXXXXX")).string();
    if (mkdtemp(name.data()) == nullptr) {
      ThrowErrno(name);
    }
    lock_.Reset(open(name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    // Between the two calls another process may have taken the new folder for a stale one.
    if (lock_ && flock(lock_.get(), LOCK_EX | LOCK_NB) == 0 && fs::exists(name)) {
      path_ = name;
      return;
    }
  }
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace kfdcts::vm
