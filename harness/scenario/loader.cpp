#include "harness/scenario/loader.h"

#include <algorithm>

#include "harness/report/strict_yaml.h"
#include "harness/scenario/field_reader.h"
#include "harness/scenario/step_reader.h"
#include "harness/scenario/words.h"

namespace kfdcts::harness::scenario {
namespace {

namespace fs = std::filesystem;

bool IsId(std::string_view text, std::initializer_list<std::string_view> families) {
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos || dash + 1 == text.size()) return false;
  return std::find(families.begin(), families.end(), text.substr(0, dash)) != families.end() &&
         text.find_first_not_of("0123456789", dash + 1) == std::string_view::npos;
}

std::string ReadIds(const StrictMapping& root, std::string_view key,
                    std::initializer_list<std::string_view> families) {
  std::string ids;
  for (const auto& id : root.Words(key)) {
    if (!IsId(id, families)) throw root.Error(key, "\"" + id + "\" is no id");
    ids += (ids.empty() ? "" : " ") + id;
  }
  if (ids.empty()) throw root.Error(key, "no id in it");
  return ids;
}

Capability ReadNeed(const StrictMapping& root, const std::string& name) {
  for (const Capability capability : AllCapabilities()) {
    if (NameOf(capability) == name) return capability;
  }
  throw root.Error("needs", "\"" + name + "\" is none of kfdcts --list-capabilities");
}

}  // namespace

Scenario LoadScenario(const fs::path& file) {
  const auto root = StrictMapping::Load(file, {"property", "rules", "guards", "gpus", "xnack",
                                               "needs", "process", "time-limit", "steps"});
  Scenario scenario;
  scenario.file = file;
  scenario.name = file.stem().string();
  scenario.property = root.Word("property");
  scenario.rules = ReadIds(root, "rules", {"PTR", "SVM", "PRE", "OFF", "XNK"});
  if (root.Has("guards")) scenario.guards = ReadIds(root, "guards", {"BUG"});
  scenario.scope = ReadWord(root, "gpus", kScopes, Scope::kEachGpu);
  scenario.xnack = ReadWord(root, "xnack", kXnackModes, Xnack::kAny);
  scenario.process = ReadWord(root, "process", kProcesses, Process::kShared);
  if (root.Has("needs")) {
    for (const auto& name : root.Words("needs")) scenario.needs.push_back(ReadNeed(root, name));
  }
  if (root.Has("time-limit")) {
    scenario.time_limit = std::chrono::seconds(root.Number("time-limit", 1, 86400));
  }
  scenario.steps = StepReader(scenario.GpuCount()).ReadList(root, "steps");
  return scenario;
}

std::vector<Scenario> LoadFolder(const fs::path& folder) {
  std::vector<Scenario> scenarios;
  if (!fs::is_directory(folder)) return scenarios;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    if (!IsName(file.stem().string())) {
      throw FixtureError(file.string() + ": not named by small letters, digits and '_'");
    }
    scenarios.push_back(LoadScenario(file));
  }
  return scenarios;
}

}  // namespace kfdcts::harness::scenario
