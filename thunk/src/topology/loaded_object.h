#pragma once

#include <elf.h>
#include <link.h>

#include <cstddef>
#include <optional>
#include <string_view>

namespace kfdcts::thunk {

/// A program or library of this process as the dynamic linker has it. Valid while it stays loaded.
class LoadedObject {
 public:
  /// The one whose code or data is at `address`; nothing where that belongs to none, or to one that
  /// is not linked dynamically.
  static std::optional<LoadedObject> At(const void* address);

  /// DT_SONAME; empty: it has none.
  std::string_view soname() const { return soname_; }

  /// Whether it refers to a symbol that another object defines, by relocations of the machine's
  /// usual form (x86-64: RELA).
  bool Imports(std::string_view symbol) const;

 private:
  struct Relocations {
    const ElfW(Rela) * first = nullptr;
    std::size_t bytes = 0;
  };

  explicit LoadedObject(const dl_phdr_info& info);
  bool Imports(const Relocations& relocations, std::string_view symbol) const;

  const char* strings_ = nullptr;
  const ElfW(Sym) * symbols_ = nullptr;
  Relocations data_;
  Relocations calls_;
  std::string_view soname_;
};

}  // namespace kfdcts::thunk
