#include "harness/vm/fetch/qemu.h"

#include <unistd.h>

#include <regex>

#include "harness/vm/base/child_process.h"
#include "harness/vm/base/errors.h"
#include "harness/vm/fetch/kernels.h"

namespace fs = std::filesystem;

namespace kfdcts::vm {
namespace {

constexpr const char* kProgram = "qemu-system-x86_64";

/// Runs it with these arguments; throws RunError where that fails.
ToolResult Ask(const Qemu& qemu, const std::vector<std::string>& arguments) {
  SpawnOptions options;
  options.argv = qemu.command;
  options.argv.insert(options.argv.end(), arguments.begin(), arguments.end());
  options.environment = qemu.environment;
  return RunTool(options);
}

/// The loader and all else out of the tree, so that it runs on systems with older libraries.
void UseTree(Qemu& qemu, const fs::path& tree, const fs::path& program) {
  const fs::path libraries = tree / "usr/lib/x86_64-linux-gnu";
  qemu.command = {(libraries / "ld-linux-x86-64.so.2").string(),
                  "--library-path",
                  libraries.string(),
                  program.string(),
                  "-L",
                  (tree / "usr/share/qemu").string(),
                  "-L",
                  (tree / "usr/share/seabios").string()};
  qemu.environment = {{"QEMU_MODULE_DIR", (libraries / "qemu").string()}};
}

}  // namespace

Qemu QemuAt(const fs::path& given) {
  if (access(given.c_str(), X_OK) != 0) {
    throw RunError("emulator " + given.string() + ": no such program");
  }
  const fs::path program = fs::absolute(given).lexically_normal();
  Qemu qemu;
  qemu.command = {program.string()};
  const fs::path tree = program.parent_path().parent_path().parent_path();
  if (tree != "/" && fs::exists(tree / "usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2")) {
    UseTree(qemu, tree, program);
  }
  const ToolResult answer = Ask(qemu, {"--version"});
  std::smatch match;
  static const std::regex pattern("QEMU emulator version ([0-9.]+)");
  if (answer.status != 0 || !std::regex_search(answer.output, match, pattern)) {
    throw RunError("emulator " + given.string() + ": is no QEMU: " + answer.errors);
  }
  qemu.version = match[1];
  return qemu;
}

std::string WhyNotUsable(const Qemu& qemu) {
  const std::string oldest =
      std::to_string(kOldestQemu.first) + "." + std::to_string(kOldestQemu.second);
  if (ReleaseLess(qemu.version, oldest)) {
    return "is version " + qemu.version + ", " + oldest + " is needed";
  }
  if (Ask(qemu, {"-device", "vfio-user-pci,help"}).status != 0) {
    return "was built without vfio-user-pci";
  }
  return "";
}

std::optional<Qemu> SystemQemu() {
  for (const char* folder : {"/usr/local/bin", "/usr/bin"}) {
    const fs::path program = fs::path(folder) / kProgram;
    if (access(program.c_str(), X_OK) != 0) {
      continue;
    }
    try {
      Qemu qemu = QemuAt(program);
      if (WhyNotUsable(qemu).empty()) {
        return qemu;
      }
    } catch (const RunError&) {
      // A broken installation is as good as none.
    }
  }
  return std::nullopt;
}

std::optional<Qemu> CachedQemu(const fs::path& cache) {
  const fs::path program = cache / "qemu" / "usr/bin" / kProgram;
  if (access(program.c_str(), X_OK) != 0) {
    return std::nullopt;
  }
  return QemuAt(program);
}

}  // namespace kfdcts::vm
