#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "harness/vm/base/files.h"

namespace kfdcts::vm::test {

/// A folder that is gone after the test.
class Scratch {
 public:
  Scratch() {
    std::string name = (std::filesystem::temp_directory_path() / "kfdvmtest-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
      std::abort();
    }
    path_ = name;
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { std::filesystem::remove_all(path_); }

  const std::filesystem::path& path() const { return path_; }

  /// Writes a file below the folder, and the folders above it.
  std::filesystem::path File(const std::string& name, std::string_view content) const {
    const std::filesystem::path file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    WriteFile(file, content);
    return file;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace kfdcts::vm::test
