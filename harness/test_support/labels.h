#pragma once

#include <string_view>

namespace kfdcts::harness {

/// What a test may be labelled by (TestSpec::labels), so that a run can leave it out.
struct Label {
  std::string_view name;
  std::string_view meaning;
  bool unsafe = false;  ///< Not for a machine that others use: --safe leaves it out.
};

inline constexpr Label kLabels[] = {
    {"full-vram", "fills a GPU's memory to the last page", true},
    {"hang", "hangs for good on kernels with a known bug, with a task that cannot be killed", true},
    {"reset", "made drivers reset the GPU", true},
    {"soak", "random work for minutes", false},
};

/// Null where there is none.
inline const Label* FindLabel(std::string_view name) {
  for (const Label& label : kLabels) {
    if (label.name == name) return &label;
  }
  return nullptr;
}

}  // namespace kfdcts::harness
