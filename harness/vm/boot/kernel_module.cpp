#include "harness/vm/boot/kernel_module.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <system_error>

#include "harness/vm/base/child_process.h"
#include "harness/vm/base/errors.h"
#include "harness/vm/base/files.h"

namespace fs = std::filesystem;

namespace kfdcts::vm {
namespace {

/// The sections of a module, bounds checked.
class ElfView {
 public:
  ElfView(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {
    const auto header = Load<Elf64_Ehdr>(0);
    const bool elf = std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
                     header.e_ident[EI_CLASS] == ELFCLASS64 &&
                     header.e_ident[EI_DATA] == ELFDATA2LSB;
    if (!elf || header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shstrndx >= header.e_shnum) {
      Fail("is no 64-bit kernel module");
    }
    for (std::size_t i = 0; i < header.e_shnum; ++i) {
      sections_.push_back(Load<Elf64_Shdr>(header.e_shoff + i * sizeof(Elf64_Shdr)));
    }
    names_ = sections_[header.e_shstrndx];
    Content(names_);
  }

  std::optional<Elf64_Shdr> Find(std::string_view wanted) const {
    const std::string_view names = Content(names_);
    for (const Elf64_Shdr& section : sections_) {
      if (section.sh_name < names.size() &&
          std::string_view(
              names.data() + section.sh_name,
              strnlen(names.data() + section.sh_name, names.size() - section.sh_name)) == wanted) {
        return section;
      }
    }
    return std::nullopt;
  }

  std::string_view Content(const Elf64_Shdr& section) const {
    if (section.sh_offset > bytes_.size() || section.sh_size > bytes_.size() - section.sh_offset) {
      Fail("is cut off");
    }
    return bytes_.substr(section.sh_offset, section.sh_size);
  }

  /// Where in the file the section's name is.
  std::size_t NameOffset(const Elf64_Shdr& section) const {
    return names_.sh_offset + section.sh_name;
  }

  [[noreturn]] void Fail(const std::string& reason) const { throw RunError(name_ + ": " + reason); }

 private:
  template <typename T>
  T Load(std::size_t offset) const {
    T value;
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof value) {
      Fail("is cut off");
    }
    std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }

  std::string_view bytes_;
  const std::string& name_;
  std::vector<Elf64_Shdr> sections_;
  Elf64_Shdr names_{};
};

/// "amdgpu" for "amdgpu.ko.xz"; the kernel takes '-' in a file's name for '_'. Nothing for other
/// files.
std::optional<std::string> ModuleName(const fs::path& file) {
  std::string name = file.filename().string();
  const auto dot = name.find(".ko");
  if (dot == std::string::npos) {
    return std::nullopt;
  }
  const std::string_view rest = std::string_view(name).substr(dot);
  if (rest != ".ko" && rest != ".ko.xz" && rest != ".ko.zst" && rest != ".ko.gz") {
    return std::nullopt;
  }
  name.resize(dot);
  std::ranges::replace(name, '-', '_');
  return name;
}

std::vector<std::string> SplitAtCommas(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const auto comma = std::min(text.find(','), text.size());
    if (comma > 0) {
      parts.emplace_back(text.substr(0, comma));
    }
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return parts;
}

constexpr std::string_view kSignatureMark = "~Module signature appended~\n";

/// Cuts off what scripts/sign-file appended: signature, struct module_signature (12 bytes, the last
/// 4 the signature's length, big endian) and the mark.
void DropSignature(std::string& module) {
  constexpr std::size_t kInfoBytes = 12;
  if (!module.ends_with(kSignatureMark) || module.size() < kSignatureMark.size() + kInfoBytes) {
    return;
  }
  const std::size_t info_end = module.size() - kSignatureMark.size();
  std::size_t length = 0;
  for (std::size_t i = info_end - 4; i < info_end; ++i) {
    length = length << 8 | static_cast<unsigned char>(module[i]);
  }
  if (length <= info_end - kInfoBytes) {
    module.resize(info_end - kInfoBytes - length);
  }
}

}  // namespace

std::string ReadModule(const fs::path& file) {
  const std::string ending = file.extension().string();
  for (const auto& [known, tool] : {std::pair{".xz", "xz"}, {".zst", "zstd"}, {".gz", "gzip"}}) {
    if (ending == known) {
      return ToolOutput({tool, "-dc", "--", file.string()});
    }
  }
  try {
    return ReadFile(file);
  } catch (const std::system_error& error) {
    throw RunError(error.what());
  }
}

std::vector<std::string> ModuleInfo(std::string_view module, std::string_view key,
                                    const std::string& name) {
  const ElfView elf(module, name);
  const auto section = elf.Find(".modinfo");
  if (!section) {
    elf.Fail("has no .modinfo section");
  }
  std::vector<std::string> values;
  const std::string prefix = std::string(key) + "=";
  std::string_view rest = elf.Content(*section);
  while (!rest.empty()) {
    const auto end = std::min(rest.find('\0'), rest.size());
    const std::string_view entry = rest.substr(0, end);
    if (entry.starts_with(prefix)) {
      values.emplace_back(entry.substr(prefix.size()));
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return values;
}

std::string WithoutTraceSites(std::string module, const std::string& name) {
  const ElfView elf(module, name);
  const auto sites = elf.Find("__mcount_loc");
  if (!sites) {
    return module;
  }
  // The kernel finds the table by its section's name alone.
  module[elf.NameOffset(*sites)] = '-';
  DropSignature(module);
  return module;
}

ModuleTree::ModuleTree(const fs::path& folder) {
  std::error_code error;
  for (auto entry = fs::recursive_directory_iterator(
           folder, fs::directory_options::skip_permission_denied, error);
       entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    if (const auto name = ModuleName(entry->path())) {
      // As depmod's default: what was put in updates/ replaces what came with the kernel.
      const bool update = entry->path().string().starts_with((folder / "updates").string());
      if (update) {
        files_.insert_or_assign(*name, entry->path());
      } else {
        files_.emplace(*name, entry->path());
      }
    }
  }
  if (files_.empty()) {
    throw RunError(folder.string() + ": holds no kernel modules");
  }
}

bool ModuleTree::Contains(std::string_view name) const { return files_.contains(name); }

std::vector<ModuleTree::Module> ModuleTree::Closure(const std::vector<std::string>& names) const {
  std::vector<Module> order;
  std::set<std::string> done;
  std::set<std::string> open;
  const std::function<void(const std::string&)> visit = [&](const std::string& name) {
    const auto found = files_.find(name);
    if (found == files_.end() || done.contains(name)) {
      return;
    }
    if (!open.insert(name).second) {
      throw RunError(found->second.string() + ": depends on itself");
    }
    Module module{name, found->second, ReadModule(found->second)};
    for (const std::string& list : ModuleInfo(module.content, "depends", found->second.string())) {
      for (std::string& dependency : SplitAtCommas(list)) {
        std::ranges::replace(dependency, '-', '_');
        visit(dependency);
      }
    }
    done.insert(name);
    order.push_back(std::move(module));
  };
  for (const std::string& name : names) {
    visit(name);
  }
  return order;
}

}  // namespace kfdcts::vm
