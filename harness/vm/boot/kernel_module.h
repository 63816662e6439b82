#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kfdcts::vm {

/// The file as the kernel wants it: unpacked by xz, zstd or gzip where its name ends so. Throws
/// RunError.
std::string ReadModule(const std::filesystem::path& file);

/// The values of `key` in a module's .modinfo section, in order. Throws RunError ("name: reason")
/// for bytes that are no 64-bit ELF module.
std::vector<std::string> ModuleInfo(std::string_view module, std::string_view key,
                                    const std::string& name);

/// The same code and data without the table of function-trace sites, and so without the signature,
/// which covers it. Loading amdgpu.ko, the kernel looks up the symbol of each of 17,000 sites by a
/// walk through all of the module's 57,000 symbols, which takes 20 of 28 s of a boot under software
/// emulation.
std::string WithoutTraceSites(std::string module, const std::string& name);

/// The modules of one kernel, found by their files: a package that was unpacked and not installed
/// has no modules.dep.
class ModuleTree {
 public:
  /// `folder` is lib/modules/RELEASE. Throws RunError where it is not one.
  explicit ModuleTree(const std::filesystem::path& folder);

  struct Module {
    std::string name;
    std::filesystem::path file;
    std::string content;  ///< Unpacked.
  };

  /// The named modules and all that they depend on, each once, in the order of loading. A name that
  /// is not in the tree is left out, since it may be built in: the guest finds out. Throws RunError
  /// for unreadable files and cycles.
  std::vector<Module> Closure(const std::vector<std::string>& names) const;

  bool Contains(std::string_view name) const;

 private:
  std::map<std::string, std::filesystem::path, std::less<>> files_;
};

}  // namespace kfdcts::vm
