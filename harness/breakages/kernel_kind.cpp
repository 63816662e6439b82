#include "harness/breakages/kernel_kind.h"

#include <fstream>
#include <iterator>
#include <system_error>

#include "harness/cli/options.h"
#include "harness/report/strict_yaml.h"
#include "harness/run/kernel_fault.h"
#include "harness/vm/base/files.h"

namespace kfdcts::harness {

namespace fs = std::filesystem;

namespace {

constexpr const char* kHowTo = "; fixtures/breakages/kernel/build makes one";

bool NeedsGpu(const StrictMapping& fault) {
  const std::string where = fault.Text("where");
  if (where != "any" && where != "amdgpu") throw fault.Error("where", "neither any nor amdgpu");
  return where == "amdgpu";
}

}  // namespace

BreakageKind KernelBreakages(const fs::path& file) {
  BreakageKind kind;
  kind.name = "kernel";
  kind.suites = {"FakeOffset"};
  kind.boot_each = true;
  kind.whole = {{kKernelFaultVariable, ""}};
  kind.environment = [](const Breakage& breakage) {
    return std::map<std::string, std::string>{{kKernelFaultVariable, breakage.name}};
  };
  const auto list = StrictMapping::Load(file, {"faults"});
  for (const auto& fault : list.Elements("faults", {"name", "rules", "where", "what"})) {
    kind.breakages.push_back(
        {fault.Text("name"), fault.Texts("rules"), fault.Text("what"), NeedsGpu(fault)});
  }
  return kind;
}

fs::path BreakableKernel() { return vm::CacheFolder() / "breakages" / "kernel" / "vmlinux"; }

fs::path ModulesOf(const fs::path& image) {
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(image.parent_path() / "lib" / "modules", none)) {
    if (entry.is_directory()) return entry.path();
  }
  return {};
}

void CheckBreakableKernel(const fs::path& image, const std::vector<Breakage>& breakages) {
  std::ifstream in(image, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(in), {});
  if (!in || bytes.empty()) {
    throw UsageError("kernel " + image.string() + ": cannot be read" + kHowTo);
  }
  for (const auto& breakage : breakages) {
    if (bytes.find('\0' + breakage.name + '\0') == std::string::npos) {
      throw UsageError("kernel " + image.string() + ": does not know the fault " + breakage.name +
                       kHowTo);
    }
  }
}

}  // namespace kfdcts::harness
