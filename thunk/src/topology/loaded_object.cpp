#include "thunk/src/topology/loaded_object.h"

#include <cstddef>
#include <cstdint>

namespace kfdcts::thunk {
namespace {

bool Covers(const dl_phdr_info& info, std::uintptr_t address) {
  for (std::size_t i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info.dlpi_phdr[i];
    const std::uintptr_t start = info.dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && address >= start && address - start < segment.p_memsz) {
      return true;
    }
  }
  return false;
}

const ElfW(Dyn) * DynamicSection(const dl_phdr_info& info) {
  for (std::size_t i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info.dlpi_phdr[i];
    if (segment.p_type != PT_DYNAMIC) continue;
    return reinterpret_cast<const ElfW(Dyn)*>(info.dlpi_addr + segment.p_vaddr);
  }
  return nullptr;
}

}  // namespace

std::optional<LoadedObject> LoadedObject::At(const void* address) {
  struct Search {
    std::uintptr_t address;
    std::optional<LoadedObject> found;
  } search = {reinterpret_cast<std::uintptr_t>(address), std::nullopt};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& wanted = *static_cast<Search*>(data);
        if (!Covers(*info, wanted.address)) return 0;
        LoadedObject object(*info);
        if (object.strings_ != nullptr && object.symbols_ != nullptr) wanted.found = object;
        return 1;
      },
      &search);
  return search.found;
}

LoadedObject::LoadedObject(const dl_phdr_info& info) {
  // The linker has made most of the pointers absolute, but not in objects that are mapped
  // read-only.
  const auto pointer = [&info](const ElfW(Dyn) & entry) {
    const ElfW(Addr) value = entry.d_un.d_ptr;
    return value < info.dlpi_addr ? value + info.dlpi_addr : value;
  };
  std::optional<std::size_t> soname;
  const ElfW(Dyn)* entry = DynamicSection(info);
  for (; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
    switch (entry->d_tag) {
      case DT_STRTAB:
        strings_ = reinterpret_cast<const char*>(pointer(*entry));
        break;
      case DT_SYMTAB:
        symbols_ = reinterpret_cast<const ElfW(Sym)*>(pointer(*entry));
        break;
      case DT_RELA:
        data_.first = reinterpret_cast<const ElfW(Rela)*>(pointer(*entry));
        break;
      case DT_RELASZ:
        data_.bytes = entry->d_un.d_val;
        break;
      case DT_JMPREL:
        calls_.first = reinterpret_cast<const ElfW(Rela)*>(pointer(*entry));
        break;
      case DT_PLTRELSZ:
        calls_.bytes = entry->d_un.d_val;
        break;
      case DT_SONAME:
        soname = entry->d_un.d_val;
        break;
      default:
        break;
    }
  }
  if (strings_ != nullptr && soname) soname_ = strings_ + *soname;
}

bool LoadedObject::Imports(std::string_view symbol) const {
  return Imports(calls_, symbol) || Imports(data_, symbol);
}

bool LoadedObject::Imports(const Relocations& relocations, std::string_view symbol) const {
  if (relocations.first == nullptr) return false;
  const std::size_t count = relocations.bytes / sizeof(ElfW(Rela));
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t index = ELF64_R_SYM(relocations.first[i].r_info);
    if (index == 0) continue;
    const ElfW(Sym)& referred = symbols_[index];
    if (referred.st_shndx == SHN_UNDEF && strings_ + referred.st_name == symbol) return true;
  }
  return false;
}

}  // namespace kfdcts::thunk
