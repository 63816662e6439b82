#include "harness/vm/fetch/fetch.h"

#include <unistd.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <regex>
#include <system_error>

#include "harness/vm/base/errors.h"
#include "harness/vm/base/files.h"

namespace fs = std::filesystem;

namespace kfdcts::vm {
namespace {

constexpr const char* kFreshPrefix = "new-";
constexpr const char* kAptFolder = "apt";

}  // namespace

Fetcher::Fetcher(fs::path cache, Notice notice, int cancel_fd)
    : cache_(std::move(cache)),
      notice_(notice ? std::move(notice) : [](const std::string&) {}),
      cancel_fd_(cancel_fd) {}

/// Only the holder of the lock makes such folders, so any that is there is a leftover.
fs::path Fetcher::FreshFolder() const {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(cache_, error)) {
    if (entry.path().filename().string().starts_with(kFreshPrefix)) {
      fs::remove_all(entry.path());
    }
  }
  return cache_ / (kFreshPrefix + std::to_string(getpid()));
}

template <typename Found>
Found Fetcher::UnderLock(const std::function<std::optional<Found>()>& find,
                         const std::function<void()>& fetch) {
  if (auto found = find()) {
    return std::move(*found);
  }
  FileLock lock(cache_ / "fetch.lock");
  if (!lock.held()) {
    notice_("waiting for another fetch into " + cache_.string());
    lock.Wait(cancel_fd_);
  }
  if (auto found = find()) {
    return std::move(*found);
  }
  const fs::path fresh = FreshFolder();
  const auto clean_up = [&] {
    std::error_code ignored;
    fs::remove_all(fresh, ignored);
    fs::remove_all(cache_ / kAptFolder, ignored);
  };
  try {
    fetch();
  } catch (...) {
    clean_up();
    throw;
  }
  clean_up();
  auto found = find();
  if (!found) {
    throw RunError("what was fetched into " + cache_.string() + " holds nothing usable");
  }
  return std::move(*found);
}

Qemu Fetcher::QemuFromCache() {
  return UnderLock<Qemu>([&] { return CachedQemu(cache_); }, [&] { FetchQemu(); });
}

Kernel Fetcher::KernelFromCache(const KernelSeries& series, bool newest) {
  bool asked = !newest;
  return UnderLock<Kernel>(
      [&]() -> std::optional<Kernel> {
        return asked ? CachedKernel(cache_, series) : std::nullopt;
      },
      [&] {
        FetchKernel(series);
        asked = true;
      });
}

void Fetcher::FetchQemu() {
  notice_("fetching QEMU from Debian's trixie-backports into " + cache_.string());
  PrivateApt apt(cache_ / kAptFolder, notice_, cancel_fd_);
  constexpr const char* kSuite = "trixie-backports";
  apt.Update({"trixie", kSuite});
  const std::string version = apt.CandidateVersion("qemu-system-x86", kSuite);
  const fs::path fresh = FreshFolder();
  apt.Unpack({"qemu-system-x86"}, kSuite, true, fresh);
  fs::remove_all(cache_ / "qemu");
  fs::rename(fresh, cache_ / "qemu");
  // "1:11.1.3+ds-1~bpo13+1": epoch, version, Debian's part.
  std::smatch upstream;
  static const std::regex pattern("^(?:[0-9]+:)?([0-9.]+)");
  if (std::regex_search(version, upstream, pattern) && ReleaseLess(kTestedQemu, upstream[1])) {
    notice_("notice: QEMU " + version + " is newer than the tested " + kTestedQemu);
  }
  notice_("QEMU " + version + " is ready");
}

void Fetcher::FetchKernel(const KernelSeries& series) {
  notice_(std::string("fetching kernel ") + series.name + " from Debian's " + series.suite +
          " into " + cache_.string());
  PrivateApt apt(cache_ / kAptFolder, notice_, cancel_fd_);
  apt.Update({series.suite});
  const std::regex pattern(series.package, std::regex::extended);
  std::string release;
  std::string package;
  for (const std::string& name : apt.Search(series.package)) {
    std::smatch match;
    std::regex_match(name, match, pattern);
    if (release.empty() || ReleaseLess(release, match[1])) {
      release = match[1];
      package = name;
    }
  }
  if (package.empty()) {
    throw RunError(std::string("no package of kernel ") + series.name + " in " + series.suite);
  }
  const fs::path target = cache_ / "kernels" / series.name / release;
  if (!KernelInTree(target)) {
    std::vector<std::string> packages{package};
    if (series.modules_prefix != nullptr) {
      packages.push_back(series.modules_prefix + release);
    }
    const fs::path fresh = FreshFolder();
    apt.Unpack(packages, series.suite, false, fresh);
    fs::create_directories(target.parent_path());
    fs::remove_all(target);
    fs::rename(fresh, target);
  }
  if (ReleaseLess(series.tested, release)) {
    notice_("notice: kernel " + release + " is newer than the tested " + series.tested);
  }
  notice_("kernel " + release + " is ready");
}

}  // namespace kfdcts::vm
