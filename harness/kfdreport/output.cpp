#include "harness/kfdreport/output.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <system_error>

namespace kfdcts::report {

namespace fs = std::filesystem;

Output::Output(std::string file) : file_(std::move(file)) {
  if (file_.empty()) return;
  std::error_code ignored;
  // A device or pipe takes what comes; there is nothing to replace.
  const bool in_place = fs::exists(file_, ignored) && !fs::is_regular_file(file_, ignored);
  temporary_ = in_place ? file_ : file_ + "." + std::to_string(getpid()) + ".new";
  errno = 0;
  out_.open(temporary_, std::ios::binary | std::ios::trunc);
  if (!out_) {
    const int error = errno;
    temporary_.clear();
    throw std::system_error(error, std::generic_category(), file_);
  }
}

Output::~Output() {
  if (temporary_.empty() || temporary_ == file_) return;
  std::error_code ignored;
  fs::remove(temporary_, ignored);
}

std::ostream& Output::stream() { return file_.empty() ? std::cout : out_; }

void Output::Finish() {
  errno = 0;
  stream().flush();
  if (!file_.empty()) out_.close();
  if (!stream()) {
    throw std::system_error(errno != 0 ? errno : EIO, std::generic_category(),
                            file_.empty() ? "standard output" : file_);
  }
  if (temporary_ != file_) fs::rename(temporary_, file_);
  temporary_.clear();
}

std::string Printable(std::string_view text) {
  std::string clean;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool c1 =
        byte == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0;
    if (c1) {
      clean += '?';
      ++i;
    } else {
      clean += byte < 0x20 || byte == 0x7F ? '?' : text[i];
    }
  }
  return clean;
}

std::string DisplayName(const std::string& file) {
  using Json = nlohmann::json;
  const std::string valid = Json(file).dump(-1, ' ', false, Json::error_handler_t::replace);
  return Printable(Json::parse(valid).get<std::string>());
}

std::string Milliseconds(double seconds) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.3f", seconds);
  return text.data();
}

}  // namespace kfdcts::report
