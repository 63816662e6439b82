#include "harness/kfdreport/inputs.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <sstream>

#include "harness/kfdreport/junit_reader.h"
#include "harness/kfdreport/merge.h"

namespace kfdcts::report {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> FilesOf(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() == ".xml" && !entry->is_directory()) {
      files.push_back(entry->path().string());
    }
  }
  if (error) throw ReadError(folder + ": " + error.message());
  if (files.empty()) throw ReadError(folder + ": no *.xml in that folder");
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

std::vector<std::string> ExpandInputs(const std::vector<std::string>& named) {
  std::vector<std::string> files;
  for (const auto& name : named) {
    std::error_code ignored;
    if (fs::is_directory(name, ignored)) {
      auto inside = FilesOf(name);
      std::move(inside.begin(), inside.end(), std::back_inserter(files));
    } else {
      files.push_back(name);
    }
  }
  return files;
}

std::vector<std::string> SplitList(const std::string& list) {
  std::error_code ignored;
  if (fs::exists(list, ignored)) return {list};
  std::vector<std::string> names;
  std::istringstream in(list);
  for (std::string name; std::getline(in, name, ',');) {
    if (!name.empty()) names.push_back(name);
  }
  if (names.empty()) throw ReadError("\"" + list + "\" names no file");
  return names;
}

std::vector<Run> LoadRuns(const std::vector<std::string>& named, TextBudget& budget) {
  std::vector<Run> runs;
  for (const auto& file : ExpandInputs(named)) {
    auto read = ReadJUnitFile(file, budget);
    std::move(read.begin(), read.end(), std::back_inserter(runs));
  }
  return Merge(std::move(runs));
}

}  // namespace kfdcts::report
