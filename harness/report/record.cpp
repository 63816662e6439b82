#include "harness/report/record.h"

#include <algorithm>
#include <functional>

namespace kfdcts::harness {

bool TestRecord::Flake() const {
  return std::adjacent_find(runs.begin(), runs.end(), std::not_equal_to<>()) != runs.end();
}

std::string TestRecord::Runs() const {
  std::string list;
  for (const auto& run : runs) list += (list.empty() ? "" : ", ") + run;
  return list;
}

std::vector<std::pair<std::string, std::string>> RunInfo::Properties() const {
  std::vector<std::pair<std::string, std::string>> list = {{"target", target},
                                                           {"machine", machine},
                                                           {"kernel", kernel_image},
                                                           {"kernel_release", kernel_release},
                                                           {"xnack_off_boot", off_boot},
                                                           {"kfd_interface", kfd_version},
                                                           {"thunk", thunk_identity},
                                                           {"thunk_file", thunk_file},
                                                           {"seed", std::to_string(seed)}};
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    list.emplace_back("gpu" + std::to_string(i), gpus[i]);
  }
  std::erase_if(list, [](const auto& entry) { return entry.second.empty(); });
  return list;
}

}  // namespace kfdcts::harness
