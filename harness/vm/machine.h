#pragma once

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace kfdcts::vm {

/// One virtual GPU of a machine.
struct GpuSpec {
  std::string chip;                      ///< A name that KnownChips() holds.
  std::uint64_t vram_bytes = 0;          ///< Power of two, 64 MiB to 16 GiB.
  std::uint64_t visible_vram_bytes = 0;  ///< What the CPU may map; 0: all of it.
};

/// A machine description, as read from fixtures/machines/NAME.yaml and checked.
struct Machine {
  std::string name;         ///< The file's name without ".yaml".
  std::string description;  ///< One line.
  std::vector<GpuSpec> gpus;
  std::uint64_t memory_bytes = 0;
  int cpus = 0;
  std::vector<std::string>
      kernel_parameters;  ///< Appended after those that kfdvm chooses, so they win.
};

/// What() is "file:line:column: key: reason", or "file: reason" where there is no position.
class MachineError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Reads and checks one description. Throws MachineError for what it does not know or cannot
/// accept.
Machine LoadMachine(const std::filesystem::path& file);

/// The machine that the command line named: a path where `name` holds a '/' or ends in ".yaml",
/// else a file of MachinesFolder(). An unknown name throws MachineError that lists the known ones.
Machine FindMachine(const std::string& name);

/// Names of the machines in MachinesFolder(), sorted.
std::vector<std::string> MachineNames();

/// share/kfdcts/fixtures/machines beside the running program's bin/. Throws MachineError where it
/// is missing.
std::filesystem::path MachinesFolder();

/// The machine that is taken where none is named.
inline constexpr const char* kDefaultMachine = "vega10x2";

}  // namespace kfdcts::vm
