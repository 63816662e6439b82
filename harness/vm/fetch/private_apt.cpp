#include "harness/vm/fetch/private_apt.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <regex>
#include <sstream>

#include "harness/vm/base/child_process.h"
#include "harness/vm/base/errors.h"
#include "harness/vm/base/files.h"

namespace fs = std::filesystem;

namespace kfdcts::vm {
namespace {

constexpr const char* kKeyring = "/usr/share/keyrings/debian-archive-keyring.gpg";

struct Source {
  std::string site;
  std::string release;
};

/// Where the machine itself gets packages from.
std::vector<Source> SystemSources(int cancel_fd) {
  std::istringstream lines(ToolOutput(
      {"apt-get", "indextargets", "--format", "$(SITE) $(RELEASE)", "Created-By: Packages"},
      cancel_fd));
  std::vector<Source> sources;
  for (Source source; lines >> source.site >> source.release;) {
    sources.push_back(source);
  }
  return sources;
}

/// `VERSION_CODENAME` of /etc/os-release.
std::string Codename() {
  std::istringstream lines(ReadFile("/etc/os-release"));
  constexpr std::string_view kKey = "VERSION_CODENAME=";
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(kKey)) {
      return line.substr(kKey.size());
    }
  }
  return "";
}

std::string DebianMirror(const std::vector<Source>& sources) {
  const std::string codename = Codename();
  for (const Source& source : sources) {
    if (!codename.empty() && source.release == codename) {
      return source.site;
    }
  }
  throw RunError("apt's configuration names no mirror for this Debian release (" +
                 (codename.empty() ? "unknown" : codename) +
                 "); give --qemu, --kernel and --modules, or fill the cache elsewhere");
}

std::string SourceLine(const std::string& site, const std::string& suite) {
  return std::string("deb [signed-by=") + kKeyring + "] " + site + " " + suite + " main\n";
}

/// "3: libc6 2.41-12 [2850 kB]" of apt's "Get:3 http://… trixie/main amd64 libc6 amd64 2.41-12
/// [2850 kB]".
std::string WithoutAddress(std::string_view line) {
  std::istringstream words{std::string(line)};
  std::string kept;
  for (std::string word; words >> word;) {
    if (word.find("://") == std::string::npos) {
      kept += (kept.empty() ? "" : " ") + word;
    }
  }
  return kept;
}

/// The packages bring programs with the right to become root. Nobody needs them here.
void DropPrivilegeBits(const fs::path& tree) {
  constexpr auto kBits = fs::perms::set_uid | fs::perms::set_gid;
  for (const auto& entry : fs::recursive_directory_iterator(tree)) {
    const fs::file_status status = entry.symlink_status();
    if (!fs::is_symlink(status) && (status.permissions() & kBits) != fs::perms::none) {
      fs::permissions(entry.path(), kBits, fs::perm_options::remove);
    }
  }
}

/// Settings for the network (proxies, time-outs, mirrors' logins) as the system has them, in
/// apt.conf's form.
std::string NetworkSettings(int cancel_fd) {
  std::istringstream lines(ToolOutput({"apt-config", "dump"}, cancel_fd));
  std::string settings;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("Acquire::")) {
      settings += line + "\n";
    }
  }
  return settings;
}

}  // namespace

PrivateApt::PrivateApt(fs::path folder, Notice notice, int cancel_fd)
    : folder_(std::move(folder)), notice_(std::move(notice)), cancel_fd_(cancel_fd) {}

void PrivateApt::WriteConfiguration() {
  for (const char* sub : {"lists/partial", "archives/partial", "etc"}) {
    fs::create_directories(folder_ / sub);
  }
  WriteFile(folder_ / "status", "");
  std::ostringstream text;
  // The system's own files are not read at all: their hooks would change the system, their pins our
  // choice.
  text << NetworkSettings(cancel_fd_) << "Dir::Etc::main \"/dev/null\";\n"
       << "Dir::Etc::parts \"/dev/null\";\nDir::Etc::sourceparts \"/dev/null\";\n"
       << "Dir::Etc::preferences \"/dev/null\";\nDir::Etc::preferencesparts \"/dev/null\";\n"
       << "Dir::Etc::sourcelist " << folder_ / "etc/sources.list"
       << ";\n"
       << "Dir::State " << folder_ << ";\nDir::State::status " << folder_ / "status"
       << ";\n"
       << "Dir::State::lists " << folder_ / "lists"
       << ";\n"
       << "Dir::Cache " << folder_ << ";\nDir::Cache::archives " << folder_ / "archives"
       << ";\n"
       << "Debug::NoLocking \"true\";\nAPT::Architecture \"amd64\";\n"
       << "Acquire::Languages \"none\";\nAPT::Install-Recommends \"false\";\n"
       // Root would hand the download to a user who cannot write here.
       << "APT::Sandbox::User \"" << (geteuid() == 0 ? "root" : "") << "\";\n";
  WriteFile(folder_ / "apt.conf", text.str());
}

std::string PrivateApt::Apt(std::vector<std::string> argv, const std::string& purpose) {
  SpawnOptions options;
  options.argv = std::move(argv);
  options.environment = {{"APT_CONFIG", (folder_ / "apt.conf").string()}, {"LC_ALL", "C.UTF-8"}};
  options.working_directory = (folder_ / "archives").string();
  const ToolResult result = RunTool(options, cancel_fd_, [&](std::string_view line) {
    if (line.starts_with("Get:") || line.starts_with("Fetched ") ||
        line.starts_with("Need to get")) {
      notice_(WithoutAddress(line));
    }
  });
  if (result.status != 0) {
    throw RunError(purpose + ": " + options.argv[0] + " " + DescribeStatus(result.status) + ":\n" +
                   result.errors);
  }
  return result.output;
}

void PrivateApt::Update(const std::vector<std::string>& suites) {
  if (access(kKeyring, R_OK) != 0) {
    throw RunError(std::string(kKeyring) + " is missing (package debian-archive-keyring)");
  }
  WriteConfiguration();
  const std::vector<Source> system = SystemSources(cancel_fd_);
  const std::string mirror = DebianMirror(system);
  std::string list;
  for (const std::string& suite : suites) {
    list += SourceLine(mirror, suite);
    const auto security = std::ranges::find(system, suite + "-security", &Source::release);
    if (security != system.end()) {
      list += SourceLine(security->site, security->release);
    }
  }
  WriteFile(folder_ / "etc/sources.list", list);
  Apt({"apt-get", "-q", "-o", "APT::Update::Error-Mode=any", "update"}, "reading package lists");
}

std::vector<std::string> PrivateApt::Search(const std::string& expression) {
  std::istringstream names(Apt({"apt-cache", "pkgnames"}, "looking for a package"));
  const std::regex whole(expression, std::regex::extended);
  std::vector<std::string> found;
  for (std::string name; std::getline(names, name);) {
    if (std::regex_match(name, whole)) {
      found.push_back(name);
    }
  }
  return found;
}

std::string PrivateApt::CandidateVersion(const std::string& package, const std::string& suite) {
  std::istringstream lines(
      Apt({"apt-cache", "-o", "APT::Default-Release=" + suite, "policy", package}, package));
  constexpr std::string_view kKey = "  Candidate: ";
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(kKey)) {
      return line.substr(kKey.size());
    }
  }
  throw RunError(package + ": no such package in " + suite);
}

void PrivateApt::Unpack(const std::vector<std::string>& packages, const std::string& suite,
                        bool dependencies, const fs::path& target) {
  fs::remove_all(folder_ / "archives");
  fs::create_directories(folder_ / "archives/partial");
  std::vector<std::string> argv{"apt-get", "-q", "-o", "APT::Default-Release=" + suite};
  if (dependencies) {
    argv.insert(argv.end(), {"-y", "--download-only", "install"});
  } else {
    argv.emplace_back("download");
  }
  argv.insert(argv.end(), packages.begin(), packages.end());
  Apt(argv, "downloading " + packages.front());
  fs::create_directories(target);
  std::size_t unpacked = 0;
  for (const auto& entry : fs::directory_iterator(folder_ / "archives")) {
    if (entry.path().extension() == ".deb") {
      ToolOutput({"dpkg-deb", "-x", entry.path().string(), target.string()}, cancel_fd_);
      ++unpacked;
    }
  }
  DropPrivilegeBits(target);
  notice_("unpacked " + std::to_string(unpacked) + " packages");
  fs::remove_all(folder_ / "archives");
  if (unpacked < packages.size()) {
    throw RunError("downloading " + packages.front() + ": apt-get left no package");
  }
}

}  // namespace kfdcts::vm
