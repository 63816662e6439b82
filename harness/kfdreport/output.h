#pragma once

#include <fstream>
#include <ostream>
#include <string>
#include <string_view>

namespace kfdcts::report {

/// Where a report goes: standard output, or a file that is there whole or as it was before.
class Output {
 public:
  /// `file` empty: standard output. Throws std::system_error.
  explicit Output(std::string file);
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  /// Leaves nothing behind unless Finish() did.
  ~Output();

  std::ostream& stream();
  /// Throws std::system_error where not all could be written.
  void Finish();

 private:
  std::string file_;
  std::string temporary_;
  std::ofstream out_;
};

/// `text` for a terminal: control characters, those of U+0080 to U+009F too, are '?'.
std::string Printable(std::string_view text);

/// A file's name, which may be any bytes, as a report can hold it: UTF-8 (what is none of it is
/// U+FFFD) and Printable.
std::string DisplayName(const std::string& file);

/// "12.345".
std::string Milliseconds(double seconds);

}  // namespace kfdcts::report
