#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kfdcts::vm {

/// A file in the cache that was made from other files, and is made again once one of them changed
/// (by size or time). Beside it lies NAME.inputs with those files and one line of notes. Several
/// processes may use it at once.
class CachedFile {
 public:
  struct Found {
    std::filesystem::path file;
    std::string note;
  };

  /// `kind` begins the file's name; `options` and `sources` are what it depends on and is found by.
  CachedFile(std::filesystem::path folder, std::string kind, const std::string& options,
             const std::vector<std::filesystem::path>& sources);

  /// Nothing where it was never made or is out of date.
  std::optional<Found> Find() const;

  /// Puts the content in place, atomically. `note` is one line that Find() gives back; `inputs` all
  /// files that went in.
  std::filesystem::path Store(std::string_view content, const std::string& note,
                              const std::vector<std::filesystem::path>& inputs) const;

 private:
  void RemoveOldest() const;

  std::filesystem::path folder_;
  std::string kind_;
  std::string key_;
  std::filesystem::path file_;
};

}  // namespace kfdcts::vm
