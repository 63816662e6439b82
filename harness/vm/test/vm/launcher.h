#pragma once

#include <string>
#include <vector>

#include "harness/vm/base/child_process.h"
#include "harness/vm/base/files.h"
#include "harness/vm/test/scratch.h"

namespace kfdcts::vm::test {

/// kfdvm as its users start it, with a results folder that is gone afterwards.
class Launcher {
 public:
  /// `options` stand before the "--" and `program` behind it.
  SpawnOptions Command(std::vector<std::string> options, const std::vector<std::string>& program,
                       const std::string& command = "run") const {
    SpawnOptions spawn;
    spawn.argv = {(ProgramFolder() / "kfdvm").string(), command, "--quick-driver", "--results",
                  results().string()};
    spawn.argv.insert(spawn.argv.end(), options.begin(), options.end());
    spawn.argv.emplace_back("--");
    spawn.argv.insert(spawn.argv.end(), program.begin(), program.end());
    spawn.working_directory = scratch_.path().string();
    return spawn;
  }

  ToolResult Run(std::vector<std::string> options, const std::vector<std::string>& program) const {
    return RunTool(Command(std::move(options), program));
  }

  std::filesystem::path results() const { return scratch_.path() / "results"; }
  const Scratch& scratch() const { return scratch_; }

 private:
  Scratch scratch_;
};

}  // namespace kfdcts::vm::test
