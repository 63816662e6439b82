#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace kfdcts::vm {

using Notice = std::function<void(const std::string&)>;

/// An apt of its own below one folder: own lists, own (empty) list of installed packages, own
/// sources. It reads the system's settings for network access only, needs no root and changes
/// nothing on the system. Packages are checked against Debian's archive key by apt.
class PrivateApt {
 public:
  /// `notice` gets apt's own progress lines. Nothing is run yet.
  PrivateApt(std::filesystem::path folder, Notice notice, int cancel_fd);

  /// Reads the lists of the given Debian suites from the mirror of the machine's own apt
  /// configuration. A suite "bookworm" comes with its security updates where the machine has a
  /// mirror for those. Throws RunError.
  void Update(const std::vector<std::string>& suites);

  /// Names of packages that match the extended regular expression as a whole.
  std::vector<std::string> Search(const std::string& expression);

  /// The version that Install would take.
  std::string CandidateVersion(const std::string& package, const std::string& suite);

  /// Downloads packages (and what they depend on where `dependencies`) and unpacks them all into
  /// `target`.
  void Unpack(const std::vector<std::string>& packages, const std::string& suite, bool dependencies,
              const std::filesystem::path& target);

 private:
  std::string Apt(std::vector<std::string> argv, const std::string& purpose);
  void WriteConfiguration();

  std::filesystem::path folder_;
  Notice notice_;
  int cancel_fd_;
};

}  // namespace kfdcts::vm
