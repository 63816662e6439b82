#include "harness/vm/machine.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <set>

#include "harness/vm/base/files.h"
#include "harness/vm/base/sizes.h"
#include "harness/vm/chips.h"

namespace fs = std::filesystem;

namespace kfdcts::vm {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

/// Turns the nodes of one file into values, or says where and why not. Keys are named by their
/// path: "gpus[1].vram".
class Reader {
 public:
  explicit Reader(fs::path file) : file_(std::move(file)) {}

  [[noreturn]] void Fail(const YAML::Mark& mark, const std::string& key,
                         const std::string& reason) const {
    std::string where = file_.string();
    if (!mark.is_null()) {
      where += ":" + std::to_string(mark.line + 1) + ":" + std::to_string(mark.column + 1);
    }
    throw MachineError(where + ": " + (key.empty() ? "" : key + ": ") + reason);
  }

  /// The name of a key below another.
  static std::string Below(const std::string& path, const std::string& name) {
    return path.empty() ? name : std::string(path).append(".").append(name);
  }

  using Setter = std::function<void(const YAML::Node&, const std::string& key)>;

  /// Calls the setter of each key. Refuses what is no map, unknown and repeated keys, and missing
  /// required ones.
  void Map(const YAML::Node& node, const std::string& path,
           const std::map<std::string, Setter>& keys, const std::set<std::string>& required) const {
    if (!node.IsMap()) {
      Fail(node.Mark(), path, "must be a map of keys");
    }
    std::set<std::string> seen;
    for (const auto& entry : node) {
      const YAML::Mark mark = entry.first.Mark();
      if (!entry.first.IsScalar()) {
        Fail(mark, path, "a key must be a plain word");
      }
      const std::string name = entry.first.Scalar();
      const std::string full = Below(path, name);
      const auto found = keys.find(name);
      if (found == keys.end()) {
        Fail(mark, full, "unknown key");
      }
      if (!seen.insert(name).second) {
        Fail(mark, full, "given twice");
      }
      found->second(entry.second, full);
    }
    for (const std::string& name : required) {
      if (!seen.contains(name)) {
        Fail(node.Mark(), Below(path, name), "missing");
      }
    }
  }

  void List(const YAML::Node& node, const std::string& key, const Setter& item) const {
    if (!node.IsSequence()) {
      Fail(node.Mark(), key, "must be a list");
    }
    for (std::size_t i = 0; i < node.size(); ++i) {
      item(node[i], key + "[" + std::to_string(i) + "]");
    }
  }

  std::string Text(const YAML::Node& node, const std::string& key) const {
    if (!node.IsScalar() || node.Scalar().empty()) {
      Fail(node.Mark(), key, "must be a text");
    }
    return node.Scalar();
  }

  std::uint64_t Size(const YAML::Node& node, const std::string& key, std::uint64_t least,
                     std::uint64_t most) const {
    const std::string text = Text(node, key);
    const auto bytes = ParseSize(text);
    if (!bytes) {
      Fail(node.Mark(), key, "\"" + text + "\" is no size as 256M or 2G");
    }
    if (*bytes < least || *bytes > most) {
      Fail(node.Mark(), key,
           text + " is not between " + FormatSize(least) + " and " + FormatSize(most));
    }
    return *bytes;
  }

  std::uint64_t PowerOfTwo(const YAML::Node& node, const std::string& key, std::uint64_t least,
                           std::uint64_t most) const {
    const std::uint64_t bytes = Size(node, key, least, most);
    if (!std::has_single_bit(bytes)) {
      Fail(node.Mark(), key, node.Scalar() + " is no power of two");
    }
    return bytes;
  }

  int Count(const YAML::Node& node, const std::string& key, int least, int most) const {
    int value = 0;
    const std::string text = Text(node, key);
    if (!YAML::convert<int>::decode(node, value)) {
      Fail(node.Mark(), key, "\"" + text + "\" is no number");
    }
    if (value < least || value > most) {
      Fail(node.Mark(), key,
           text + " is not between " + std::to_string(least) + " and " + std::to_string(most));
    }
    return value;
  }

 private:
  fs::path file_;
};

GpuSpec ReadGpu(const Reader& reader, const YAML::Node& node, const std::string& path) {
  GpuSpec gpu;
  YAML::Node visible;
  reader.Map(node, path,
             {{"chip",
               [&](const YAML::Node& value, const std::string& key) {
                 gpu.chip = reader.Text(value, key);
                 if (FindChip(gpu.chip) == nullptr) {
                   std::string known;
                   for (const ChipSpec& chip : KnownChips()) {
                     known += (known.empty() ? "" : ", ") + std::string(chip.name);
                   }
                   reader.Fail(value.Mark(), key,
                               "unknown chip \"" + gpu.chip + "\"; known: " + known);
                 }
               }},
              {"vram",
               [&](const YAML::Node& value, const std::string& key) {
                 gpu.vram_bytes = reader.PowerOfTwo(value, key, 64 * kMiB, 16 * kGiB);
               }},
              {"visible_vram",
               [&](const YAML::Node& value, const std::string& key) {
                 gpu.visible_vram_bytes = reader.Size(value, key, kMiB, 16 * kGiB);
                 if (gpu.visible_vram_bytes % kMiB != 0) {
                   reader.Fail(value.Mark(), key, "must be a multiple of 1M");
                 }
                 visible.reset(value);
               }}},
             {"chip", "vram"});
  if (gpu.visible_vram_bytes > gpu.vram_bytes) {
    reader.Fail(visible.Mark(), path + ".visible_vram", "is more than vram");
  }
  return gpu;
}

/// amdgpu has one parameter each for all GPUs of a machine.
void CheckGpusAgree(const Reader& reader, const YAML::Node& list, const std::vector<GpuSpec>& gpus,
                    const std::string& key) {
  for (std::size_t i = 1; i < gpus.size(); ++i) {
    const std::string path = key + "[" + std::to_string(i) + "]";
    if (gpus[i].visible_vram_bytes != gpus[0].visible_vram_bytes) {
      reader.Fail(list[i].Mark(), path + ".visible_vram",
                  "must be the same for all GPUs (amdgpu.vis_vramlimit is one for all)");
    }
    if (gpus[i].chip != gpus[0].chip) {
      reader.Fail(list[i].Mark(), path + ".chip",
                  "must be the same for all GPUs (amdgpu.ip_block_mask is one for all)");
    }
  }
}

void ReadGpus(const Reader& reader, const YAML::Node& list, const std::string& key,
              std::vector<GpuSpec>& gpus) {
  reader.List(list, key, [&](const YAML::Node& node, const std::string& path) {
    gpus.push_back(ReadGpu(reader, node, path));
  });
  constexpr std::size_t kMostGpus = 8;
  if (gpus.size() > kMostGpus) {
    reader.Fail(list.Mark(), key, "more than " + std::to_string(kMostGpus) + " GPUs");
  }
  CheckGpusAgree(reader, list, gpus, key);
}

Machine ReadMachine(const Reader& reader, const YAML::Node& root) {
  Machine machine;
  if (!root || root.IsNull()) {
    reader.Fail(YAML::Mark::null_mark(), "", "holds no machine");
  }
  reader.Map(
      root, "",
      {{"description",
        [&](const YAML::Node& value, const std::string& key) {
          machine.description = reader.Text(value, key);
        }},
       {"gpus", [&](const YAML::Node& value,
                    const std::string& key) { ReadGpus(reader, value, key, machine.gpus); }},
       {"memory",
        [&](const YAML::Node& value, const std::string& key) {
          machine.memory_bytes = reader.Size(value, key, 512 * kMiB, 1024 * kGiB);
          if (machine.memory_bytes % kMiB != 0) {
            reader.Fail(value.Mark(), key, "must be a multiple of 1M");
          }
        }},
       {"cpus", [&](const YAML::Node& value,
                    const std::string& key) { machine.cpus = reader.Count(value, key, 1, 64); }},
       {"kernel_parameters",
        [&](const YAML::Node& value, const std::string& key) {
          reader.List(value, key, [&](const YAML::Node& item, const std::string& path) {
            machine.kernel_parameters.push_back(reader.Text(item, path));
            if (item.Scalar().find_first_of(" \t\n") != std::string::npos) {
              reader.Fail(item.Mark(), path, "must be one parameter, without blanks");
            }
          });
        }}},
      {"description", "gpus", "memory", "cpus"});
  return machine;
}

}  // namespace

Machine LoadMachine(const fs::path& file) {
  const Reader reader(file);
  try {
    Machine machine = ReadMachine(reader, YAML::Load(ReadFile(file)));
    machine.name = file.stem().string();
    return machine;
  } catch (const YAML::Exception& error) {
    reader.Fail(error.mark, "", error.msg);
  } catch (const std::system_error& error) {
    throw MachineError(file.string() + ": " + error.code().message());
  }
}

fs::path MachinesFolder() {
  fs::path folder = ShareFolder() / "fixtures" / "machines";
  if (!fs::is_directory(folder)) {
    throw MachineError(folder.string() + ": no such folder; is the installation complete?");
  }
  return folder;
}

std::vector<std::string> MachineNames() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(MachinesFolder())) {
    if (entry.path().extension() == ".yaml") {
      names.push_back(entry.path().stem().string());
    }
  }
  std::ranges::sort(names);
  return names;
}

Machine FindMachine(const std::string& name) {
  if (name.find('/') != std::string::npos || name.ends_with(".yaml")) {
    return LoadMachine(name);
  }
  const std::vector<std::string> names = MachineNames();
  if (std::ranges::find(names, name) == names.end()) {
    std::string known;
    for (const std::string& one : names) {
      known += (known.empty() ? "" : ", ") + one;
    }
    throw MachineError("unknown machine \"" + name + "\"; known: " + known);
  }
  return LoadMachine(MachinesFolder() / (name + ".yaml"));
}

}  // namespace kfdcts::vm
