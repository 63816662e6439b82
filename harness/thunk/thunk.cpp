#include "harness/thunk/thunk.h"

#include <dlfcn.h>

#include <array>

namespace kfdcts::harness {
namespace fs = std::filesystem;
namespace {

// From this program's folder, in a build and an installed tree.
constexpr std::array kBundledFolders = {"../lib", "../lib/x86_64-linux-gnu", "../lib64"};
constexpr std::array kSystemFolders = {"/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib",
                                       "/opt/rocm/lib"};
constexpr const char* kDefaultName = "libhsakmt.so.1";

std::string LastError() {
  const char* error = dlerror();
  return error == nullptr ? "unknown error" : error;
}

}  // namespace

fs::path DefaultThunk() {
  const fs::path own_folder = fs::read_symlink("/proc/self/exe").parent_path();
  std::vector<fs::path> folders;
  for (const char* folder : kBundledFolders) {
    folders.push_back((own_folder / folder).lexically_normal());
  }
  folders.insert(folders.end(), kSystemFolders.begin(), kSystemFolders.end());
  std::string sought;
  for (const fs::path& folder : folders) {
    const fs::path file = folder / kDefaultName;
    if (fs::exists(file)) return file;
    sought += (sought.empty() ? "" : ", ") + folder.string();
  }
  throw ThunkError(std::string(kDefaultName) + " is in none of " + sought +
                   "; --thunk=PATH names another");
}

Thunk::Thunk(const fs::path& file) {
  // libhsakmt of 2025 looks libdrm_amdgpu up in the global scope. Where it is missing the thunk
  // itself says what it wants.
  dlopen("libdrm_amdgpu.so.1", RTLD_NOW | RTLD_GLOBAL);
  handle_ = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle_ == nullptr) throw ThunkError("the thunk cannot be loaded: " + LastError());
#define HSAKMT_SYMBOL(name) api_.name.Set(Find(#name));
#include "hsakmt/api_symbols.inc"
#include "hsakmt/api_symbols_ctx.inc"
#undef HSAKMT_SYMBOL
}

bool Thunk::Exports(std::string_view symbol) const {
  return Find(std::string(symbol).c_str()) != nullptr;
}

void* Thunk::Find(const char* symbol) const { return dlsym(handle_, symbol); }

std::vector<std::string> Thunk::MissingSymbols() const {
  std::vector<std::string> missing;
#define HSAKMT_SYMBOL(name) \
  if (!api_.name) missing.emplace_back(#name);
#include "hsakmt/api_symbols.inc"
#include "hsakmt/api_symbols_ctx.inc"
#undef HSAKMT_SYMBOL
  return missing;
}

}  // namespace kfdcts::harness
