#include "harness/vm/fetch/kernels.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <regex>
#include <system_error>

#include "harness/vm/base/files.h"

namespace fs = std::filesystem;

namespace kfdcts::vm {

const std::vector<KernelSeries>& KnownKernelSeries() {
  static const std::vector<KernelSeries> series{
      {.name = "debian-7.3",
       .package = R"(linux-binary-([0-9][0-9.]*\+deb13-amd64))",
       .modules_prefix = "linux-modules-",
       .suite = "trixie-backports",
       .tested = "7.3.4+deb13-amd64",
       .description = "Debian 13 backport with KFD SVM (the default)"},
      {.name = "debian-6.1",
       .package = R"(linux-image-(6\.1\.0-[0-9]+-amd64))",
       .modules_prefix = nullptr,
       .suite = "bookworm",
       .tested = "6.1.0-57-amd64",
       .description = "Debian 12, without KFD SVM"},
  };
  return series;
}

const KernelSeries* FindKernelSeries(const std::string& name) {
  const auto& all = KnownKernelSeries();
  const auto found =
      std::ranges::find_if(all, [&](const KernelSeries& series) { return name == series.name; });
  return found != all.end() ? &*found : nullptr;
}

std::optional<Kernel> KernelInTree(const fs::path& tree) {
  for (const char* folder : {"usr/lib/modules", "lib/modules"}) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(tree / folder, error)) {
      const std::string release = entry.path().filename().string();
      for (const fs::path& image :
           {entry.path() / "vmlinuz", tree / "boot" / ("vmlinuz-" + release), tree / "vmlinux"}) {
        if (access(image.c_str(), R_OK) == 0) {
          return Kernel{"", release, image, entry.path()};
        }
      }
    }
  }
  return std::nullopt;
}

bool ReleaseLess(const std::string& a, const std::string& b) {
  const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (!digit(a[i]) || !digit(b[j])) {
      if (a[i] != b[j]) {
        return a[i] < b[j];
      }
      ++i;
      ++j;
      continue;
    }
    const auto number = [&](const std::string& text, std::size_t& at) {
      unsigned long value = 0;
      for (; at < text.size() && digit(text[at]); ++at) {
        value = value * 10 + static_cast<unsigned long>(text[at] - '0');
      }
      return value;
    };
    const unsigned long x = number(a, i);
    const unsigned long y = number(b, j);
    if (x != y) {
      return x < y;
    }
  }
  return a.size() - i < b.size() - j;
}

std::vector<Kernel> CachedKernels(const fs::path& cache) {
  std::vector<Kernel> kernels;
  for (const KernelSeries& series : KnownKernelSeries()) {
    std::vector<Kernel> of_series;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(cache / "kernels" / series.name, error)) {
      if (auto kernel = KernelInTree(entry.path())) {
        kernel->name = series.name;
        of_series.push_back(std::move(*kernel));
      }
    }
    std::ranges::sort(of_series, [](const Kernel& a, const Kernel& b) {
      return ReleaseLess(b.release, a.release);
    });
    std::ranges::move(of_series, std::back_inserter(kernels));
  }
  return kernels;
}

std::vector<Kernel> BuiltKernels(const fs::path& cache) {
  std::vector<Kernel> kernels;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(cache / "built", error)) {
    if (auto kernel = KernelInTree(entry.path())) {
      kernel->name = entry.path().filename();
      kernels.push_back(std::move(*kernel));
    }
  }
  std::ranges::sort(kernels, {}, &Kernel::name);
  return kernels;
}

std::optional<Kernel> BuiltKernel(const fs::path& cache, const std::string& name) {
  std::error_code error;
  const fs::path folder = fs::is_directory(name, error)         ? fs::absolute(name)
                          : name.find('/') == std::string::npos ? cache / "built" / name
                                                                : fs::path();
  auto kernel = KernelInTree(folder);
  if (kernel) {
    kernel->name = name;
  }
  return kernel;
}

std::optional<Kernel> CachedKernel(const fs::path& cache, const KernelSeries& series) {
  for (Kernel& kernel : CachedKernels(cache)) {
    if (kernel.name == series.name) {
      return std::move(kernel);
    }
  }
  return std::nullopt;
}

std::optional<Kernel> SystemKernel() {
  std::optional<Kernel> best;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/boot", error)) {
    const std::string name = entry.path().filename().string();
    constexpr std::string_view kPrefix = "vmlinuz-";
    if (!name.starts_with(kPrefix) || access(entry.path().c_str(), R_OK) != 0) {
      continue;
    }
    const std::string release = name.substr(kPrefix.size());
    const fs::path configuration = fs::path("/boot") / ("config-" + release);
    const fs::path modules = fs::path("/lib/modules") / release;
    if (access(configuration.c_str(), R_OK) == 0 && access(modules.c_str(), X_OK) == 0 &&
        ReadFile(configuration).find("\nCONFIG_HSA_AMD_SVM=y") != std::string::npos &&
        (!best || ReleaseLess(best->release, release))) {
      best = Kernel{"system", release, entry.path(), modules};
    }
  }
  return best;
}

}  // namespace kfdcts::vm
