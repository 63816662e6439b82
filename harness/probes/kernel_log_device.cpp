#include "harness/probes/kernel_log_device.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

namespace kfdcts::harness {
namespace {

constexpr std::string_view kBegin = "kfdcts: begin ";
constexpr std::string_view kEnd = "kfdcts: end ";

bool IsRegular(int fd) {
  struct stat status {};
  return fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
}

}  // namespace

std::string BeginMark(std::string_view test) { return std::string(kBegin) + std::string(test); }

std::string EndMark(std::string_view test) { return std::string(kEnd) + std::string(test); }

bool IsMark(std::string_view text) { return text.starts_with(kBegin) || text.starts_with(kEnd); }

// Opened for each line: the kernel's limit on the rate of such lines is one of an open file.
void WriteKernelLog(const std::string& device, std::string_view text, int level) {
  if (device.empty()) return;
  const vm::UniqueFd fd(open(device.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  if (!fd) return;
  const std::string number = std::to_string(level);
  std::string line = IsRegular(fd.get()) ? number + ",0,0,-;" : "<" + number + ">";
  line += std::string(text) + "\n";
  while (write(fd.get(), line.data(), line.size()) < 0 && errno == EINTR) {
  }
}

KernelLogReader::KernelLogReader(const std::string& device)
    : parser_([this](const vm::KernelLine& line) { lines_.push_back(line); }),
      fd_(device.empty() ? -1 : open(device.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {
  if (fd_) lseek(fd_.get(), 0, SEEK_END);
}

std::vector<vm::KernelLine> KernelLogReader::Read() {
  std::array<char, 8192> bytes{};  // no record of the device is longer
  while (fd_) {
    const ssize_t got = read(fd_.get(), bytes.data(), bytes.size());
    if (got > 0) parser_.Feed({bytes.data(), static_cast<std::size_t>(got)});
    // EPIPE: records were overwritten before they were read.
    if (got == 0 || (got < 0 && errno != EPIPE && errno != EINTR)) break;
  }
  return std::exchange(lines_, {});
}

}  // namespace kfdcts::harness
