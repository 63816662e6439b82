#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace kfdcts::harness {

/// What identifies a shared library.
struct ElfFile {
  std::string soname;    ///< DT_SONAME; may be empty.
  std::string build_id;  ///< The GNU build id in hexadecimal; may be empty.

  /// Throws ThunkError where the file cannot be read or is no shared library for this machine
  /// (64-bit, little-endian, x86-64). A malformed file never leads outside its own bytes.
  static ElfFile Read(const std::filesystem::path& file);
};

}  // namespace kfdcts::harness
