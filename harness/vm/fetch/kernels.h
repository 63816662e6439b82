#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/vm/boot/kernel_image.h"

namespace kfdcts::vm {

/// A Debian kernel package series that `fetch` knows.
struct KernelSeries {
  const char* name;     ///< What --kernel takes.
  const char* package;  ///< Extended regular expression of the package that has the image; group 1:
                        ///< release.
  const char* modules_prefix;  ///< Name of a further package with the modules, before the release;
                               ///< null: none.
  const char* suite;           ///< Debian suite.
  const char* tested;          ///< The release that the suites were tried on.
  const char* description;
};

/// The default one first.
const std::vector<KernelSeries>& KnownKernelSeries();

/// Null where it is unknown.
const KernelSeries* FindKernelSeries(const std::string& name);

/// The kernel of an unpacked package tree, whichever of Debian's two layouts it has, or of a folder
/// that `kfdvm build` filled. Nothing where there is none.
std::optional<Kernel> KernelInTree(const std::filesystem::path& tree);

/// What is in the cache, newest release first within a series.
std::vector<Kernel> CachedKernels(const std::filesystem::path& cache);

/// The newest cached one of a series.
std::optional<Kernel> CachedKernel(const std::filesystem::path& cache, const KernelSeries& series);

/// What `kfdvm build` made and left in the cache, by name.
std::vector<Kernel> BuiltKernels(const std::filesystem::path& cache);

/// One that `kfdvm build` made: by its name in the cache, or by its folder.
std::optional<Kernel> BuiltKernel(const std::filesystem::path& cache, const std::string& name);

/// An installed kernel whose configuration has KFD SVM. Nothing where there is none.
std::optional<Kernel> SystemKernel();

/// By numbers where both have them: 6.1.0-9 is less than 6.1.0-57.
bool ReleaseLess(const std::string& a, const std::string& b);

}  // namespace kfdcts::vm
