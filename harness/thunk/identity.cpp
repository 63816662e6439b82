#include <filesystem>
#include <string>

#include "harness/thunk/elf_file.h"
#include "harness/thunk/thunk.h"
#include "harness/vm/base/child_process.h"
#include "harness/vm/base/errors.h"

namespace kfdcts::harness {
namespace {

/// "libhsakmt1 5.2.3-2"; empty where no package manager of Debian's kind knows the file.
std::string PackageOf(const std::string& file) {
  try {
    const std::string owner = vm::ToolOutput({"dpkg-query", "--search", file});
    const std::string name = owner.substr(0, owner.find(": "));  // "libhsakmt1:amd64: /usr/…"
    const std::string version =
        vm::ToolOutput({"dpkg-query", "--show", "--showformat=${Version}", name});
    return name.substr(0, name.find(':')) + " " + version;
  } catch (const vm::RunError&) {
    return "";
  }
}

}  // namespace

std::string ThunkIdentity::Describe() const {
  std::string text = std::filesystem::path(file).filename().string();
  if (!package.empty()) text += ", package " + package;
  if (!soname.empty()) text += ", soname " + soname;
  if (!build_id.empty()) text += ", build id " + build_id;
  return text;
}

ThunkIdentity IdentifyThunk(const std::filesystem::path& file) {
  const ElfFile elf = ElfFile::Read(file);
  const std::string real = std::filesystem::canonical(file).string();
  return {real, elf.soname, elf.build_id, PackageOf(real)};
}

}  // namespace kfdcts::harness
