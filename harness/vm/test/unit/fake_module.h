#pragma once

#include <elf.h>

#include <cstring>
#include <string>

namespace kfdcts::vm::test {

/// The bytes of a kernel module with a .modinfo section ("key=value" entries, each ended by a zero
/// byte), a __mcount_loc section and no code.
inline std::string FakeModule(const std::string& modinfo) {
  // The relocations' name comes first and shares its tail with the table's, as linkers write it.
  const std::string names = std::string("\0.modinfo\0.shstrtab\0.rela__mcount_loc\0", 39);
  const std::size_t table_name = names.find("__mcount_loc");
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_type = ET_REL;
  header.e_machine = EM_X86_64;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 4;
  header.e_shstrndx = 2;
  header.e_shoff = sizeof header;
  Elf64_Shdr sections[4]{};
  const std::size_t start = sizeof header + sizeof sections;
  sections[1].sh_name = 1;
  sections[1].sh_offset = start;
  sections[1].sh_size = modinfo.size();
  sections[2].sh_name = static_cast<Elf64_Word>(names.find(".shstrtab"));
  sections[2].sh_offset = start + modinfo.size();
  sections[2].sh_size = names.size();
  sections[3].sh_name = static_cast<Elf64_Word>(table_name);
  sections[3].sh_offset = start;
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
  bytes.append(reinterpret_cast<const char*>(sections), sizeof sections);
  return bytes + modinfo + names;
}

/// The same for a module that depends on others, as "ttm,drm".
inline std::string ModuleDependingOn(const std::string& list) {
  return FakeModule("depends=" + list + std::string(1, '\0'));
}

}  // namespace kfdcts::vm::test
