#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace kfdcts::bench {

/// A folder of one's own below the system's for temporary files; goes with the object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

struct ChildEnd {
  int status = 0;      ///< of waitpid
  std::string output;  ///< what the work gave, where it came to its end
};

/// Does the work in a child and gives back its text, of less than 64 KiB. What would end this
/// process goes to the child instead, and to this process once the child has ended and
/// `clean_up` is done. Exceptions of the work are printed and end the child with 1.
ChildEnd RunInChild(const std::function<std::string()>& work,
                    const std::function<void()>& clean_up);

}  // namespace kfdcts::bench
