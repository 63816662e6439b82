#include "harness/breakages/thunk_kind.h"

#include <fstream>
#include <iterator>

#include "harness/test_support/registry.h"
#include "harness/thunk/thunk.h"
#include "harness/vm/base/files.h"

namespace kfdcts::harness {
namespace {

constexpr const char* kVariable = "KFDCTS_THUNK_FAULT";

}  // namespace

BreakageKind ThunkBreakages() {
  BreakageKind kind;
  kind.name = "thunk";
  kind.suites = {"PointerInfo", "UserData", "FakeOffset", "SVMRange", "XNACK"};
  kind.breakages = {
#define KFDCTS_FAULT(name, rules, what) {#name, SplitIds(rules), what},
#include "thunk/src/fault/faults.inc"
#undef KFDCTS_FAULT
  };
  kind.environment = [](const Breakage& breakage) {
    return std::map<std::string, std::string>{{kVariable, breakage.name}};
  };
  return kind;
}

std::filesystem::path BreakableThunk() {
  return vm::ProgramFolder().parent_path() / "test-only" / "libhsakmt.so.1";
}

void CheckBreakable(const std::filesystem::path& library, const std::vector<Breakage>& breakages) {
  std::ifstream in(library, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(in), {});
  if (!in || bytes.empty()) {
    throw ThunkError(library.string() + ": cannot be read; the build's target hsakmt_breakable " +
                     "makes it, and --library=PATH names another");
  }
  if (bytes.find(kVariable) == std::string::npos) {
    throw ThunkError(library.string() + ": not built with faults (KFDCTS_THUNK_FAULTS)");
  }
  for (const auto& breakage : breakages) {
    if (bytes.find(breakage.name + '\0') == std::string::npos) {
      throw ThunkError(library.string() + ": does not know the fault " + breakage.name +
                       "; it was built from other sources than this program");
    }
  }
}

}  // namespace kfdcts::harness
