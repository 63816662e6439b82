#include "harness/thunk/elf_file.h"

#include <elf.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>
#include <vector>

#include "harness/thunk/thunk.h"

namespace kfdcts::harness {
namespace {

/// The file's bytes, read only where they are.
class Image {
 public:
  explicit Image(std::string bytes) : bytes_(std::move(bytes)) {}

  template <typename T>
  std::optional<T> At(std::uint64_t offset) const {
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T)) return std::nullopt;
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof(T));
    return value;
  }

  std::string_view Slice(std::uint64_t offset, std::uint64_t size) const {
    if (offset > bytes_.size()) return {};
    return std::string_view(bytes_).substr(offset, size);
  }

 private:
  std::string bytes_;
};

std::vector<Elf64_Phdr> ProgramHeaders(const Image& image, const Elf64_Ehdr& header) {
  std::vector<Elf64_Phdr> list;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    const auto entry = image.At<Elf64_Phdr>(header.e_phoff + i * sizeof(Elf64_Phdr));
    if (entry) list.push_back(*entry);
  }
  return list;
}

std::uint64_t FileOffset(const std::vector<Elf64_Phdr>& headers, std::uint64_t address) {
  for (const auto& header : headers) {
    if (header.p_type == PT_LOAD && address >= header.p_vaddr &&
        address - header.p_vaddr < header.p_filesz) {
      return header.p_offset + (address - header.p_vaddr);
    }
  }
  return UINT64_MAX;
}

std::string Soname(const Image& image, const std::vector<Elf64_Phdr>& headers) {
  std::optional<std::uint64_t> name;
  std::optional<std::uint64_t> strings;
  for (const auto& header : headers) {
    if (header.p_type != PT_DYNAMIC) continue;
    for (std::uint64_t at = 0; at + sizeof(Elf64_Dyn) <= header.p_filesz; at += sizeof(Elf64_Dyn)) {
      const auto entry = image.At<Elf64_Dyn>(header.p_offset + at);
      if (!entry || entry->d_tag == DT_NULL) break;
      if (entry->d_tag == DT_SONAME) name = entry->d_un.d_val;
      if (entry->d_tag == DT_STRTAB) strings = FileOffset(headers, entry->d_un.d_ptr);
    }
  }
  if (!name || !strings || *strings == UINT64_MAX) return "";
  const auto text = image.Slice(*strings + *name, 256);
  return std::string(text.substr(0, text.find('\0')));
}

std::string Hexadecimal(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) {
    std::array<char, 3> digits{};
    std::snprintf(digits.data(), digits.size(), "%02x", static_cast<unsigned char>(byte));
    text += digits.data();
  }
  return text;
}

std::uint64_t RoundUp4(std::uint64_t size) { return (size + 3) & ~std::uint64_t{3}; }

std::string BuildId(const Image& image, const std::vector<Elf64_Phdr>& headers) {
  for (const auto& header : headers) {
    if (header.p_type != PT_NOTE) continue;
    for (std::uint64_t at = 0; at + sizeof(Elf64_Nhdr) <= header.p_filesz;) {
      const auto note = image.At<Elf64_Nhdr>(header.p_offset + at);
      if (!note) break;
      const std::uint64_t name = header.p_offset + at + sizeof(Elf64_Nhdr);
      const std::uint64_t content = name + RoundUp4(note->n_namesz);
      if (note->n_type == NT_GNU_BUILD_ID &&
          image.Slice(name, note->n_namesz) == std::string_view("GNU\0", 4)) {
        return Hexadecimal(image.Slice(content, note->n_descsz));
      }
      at += sizeof(Elf64_Nhdr) + RoundUp4(note->n_namesz) + RoundUp4(note->n_descsz);
    }
  }
  return "";
}

std::string ReadAll(const std::filesystem::path& file) {
  if (std::filesystem::is_directory(file)) throw ThunkError(file.string() + ": is a folder");
  std::ifstream in(file, std::ios::binary);
  if (!in) throw ThunkError(file.string() + ": " + std::strerror(errno));
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

ElfFile ElfFile::Read(const std::filesystem::path& file) {
  const Image image(ReadAll(file));
  const auto header = image.At<Elf64_Ehdr>(0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) {
    throw ThunkError(file.string() + ": no ELF file");
  }
  if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB ||
      header->e_machine != EM_X86_64 || header->e_type != ET_DYN) {
    throw ThunkError(file.string() + ": no shared library for x86-64");
  }
  const auto headers = ProgramHeaders(image, *header);
  return {Soname(image, headers), BuildId(image, headers)};
}

}  // namespace kfdcts::harness
