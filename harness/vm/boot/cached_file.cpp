#include "harness/vm/boot/cached_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <sstream>
#include <system_error>

#include "harness/vm/base/files.h"

namespace fs = std::filesystem;

namespace kfdcts::vm {
namespace {

/// FNV-1a: the name only has to tell a handful of entries apart; Find() compares the whole key.
std::string Digest(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016lx", hash);
  return digits;
}

/// "SIZE SECONDS.NANOSECONDS PATH", or "gone PATH".
std::string Stamp(const fs::path& file) {
  struct stat status {};
  if (stat(file.c_str(), &status) != 0) {
    return "gone " + file.string();
  }
  return std::to_string(status.st_size) + " " + std::to_string(status.st_mtim.tv_sec) + "." +
         std::to_string(status.st_mtim.tv_nsec) + " " + file.string();
}

fs::path InputsOf(const fs::path& file) { return file.string() + ".inputs"; }

}  // namespace

CachedFile::CachedFile(fs::path folder, std::string kind, const std::string& options,
                       const std::vector<fs::path>& sources)
    : folder_(std::move(folder)), kind_(std::move(kind)), key_(options) {
  for (const fs::path& source : sources) {
    key_ += "|" + source.string();
  }
  std::ranges::replace(key_, '\n', ' ');
  file_ = folder_ / (kind_ + "-" + Digest(key_));
}

std::optional<CachedFile::Found> CachedFile::Find() const {
  if (access(file_.c_str(), R_OK) != 0 || access(InputsOf(file_).c_str(), R_OK) != 0) {
    return std::nullopt;
  }
  std::istringstream inputs(ReadFile(InputsOf(file_)));
  std::string key;
  std::string size;
  Found found{file_, ""};
  std::getline(inputs, key);
  std::getline(inputs, size);
  std::getline(inputs, found.note);
  std::error_code error;
  if (key != key_ || size != std::to_string(fs::file_size(file_, error))) {
    return std::nullopt;
  }
  for (std::string stamp; std::getline(inputs, stamp);) {
    const auto path = stamp.find('/');
    if (path == std::string::npos || Stamp(stamp.substr(path)) != stamp) {
      return std::nullopt;
    }
  }
  fs::last_write_time(file_, fs::file_time_type::clock::now(), error);  // Used: kept for longer.
  return found;
}

fs::path CachedFile::Store(std::string_view content, const std::string& note,
                           const std::vector<fs::path>& inputs) const {
  fs::create_directories(folder_);
  std::string list = key_ + "\n" + std::to_string(content.size()) + "\n" + note + "\n";
  for (const fs::path& input : inputs) {
    list += Stamp(fs::absolute(input)) + "\n";
  }
  // The content first: with the old list it is out of date, with the new one complete.
  for (const auto& [target, bytes] :
       {std::pair{file_, content}, std::pair{InputsOf(file_), std::string_view(list)}}) {
    const fs::path fresh = target.string() + "." + std::to_string(getpid()) + ".new";
    WriteFile(fresh, bytes);
    fs::rename(fresh, target);
  }
  RemoveOldest();
  return file_;
}

void CachedFile::RemoveOldest() const {
  constexpr std::size_t kKept = 8;
  constexpr auto kInUse = std::chrono::hours(24);
  std::vector<std::pair<fs::file_time_type, fs::path>> old;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder_, error)) {
    const std::string name = entry.path().filename().string();
    const auto age = fs::file_time_type::clock::now() - entry.last_write_time(error);
    if (name.ends_with(".new") && age > kInUse) {
      fs::remove(entry.path(), error);  // A killed process left it.
    } else if (name.starts_with(kind_ + "-") && name.find('.') == std::string::npos) {
      old.emplace_back(entry.last_write_time(error), entry.path());
    }
  }
  std::ranges::sort(old, std::greater());
  for (std::size_t i = kKept; i < old.size(); ++i) {
    if (fs::file_time_type::clock::now() - old[i].first > kInUse) {
      fs::remove(old[i].second, error);
      fs::remove(InputsOf(old[i].second), error);
    }
  }
}

}  // namespace kfdcts::vm
