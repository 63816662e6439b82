#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace kfdcts::falsify {

/// One line of falsifications.yaml.
struct Falsification {
  std::string name;              ///< For KFDCTS_FALSIFY.
  std::string what;              ///< What it does, in a few words.
  std::vector<std::string> red;  ///< Filters of gtest's kind; every test that one matches goes red.
};

/// A table that cannot be used; says file, line and key.
class TableError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Reads the table. Throws TableError.
std::vector<Falsification> ReadTable(const std::filesystem::path& file);

}  // namespace kfdcts::falsify
